"""The MCP door: what may an agent ask, and what is it told?"""
