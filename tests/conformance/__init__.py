"""One suite per port, written against its protocol and run on every adapter."""
