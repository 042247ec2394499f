"""Who may talk to us over HTTP, and how? What the doors share that listen on this machine."""
