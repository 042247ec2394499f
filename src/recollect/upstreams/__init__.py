"""The gateway's adapters: the processes of upstream servers, and MCP clients that talk to them."""
