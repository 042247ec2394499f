"""The MCP door: which tools, resources and prompts does an agent get?"""
