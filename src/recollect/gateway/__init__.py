"""Whose tools, shown to whom? What is known of upstream tools, and which of them fit a request. Pure."""
