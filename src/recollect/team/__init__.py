"""Who may do what? Members of a project and their roles, tokens, the audit log, and limits."""
