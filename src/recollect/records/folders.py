"""Where the memories of each category live, by name: all that a hook needs to know of categories."""

FOLDER_NAMES = {
    "decision": "decisions",
    "constraint": "constraints",
    "preference": "preferences",
    "runbook": "runbooks",
    "tech_debt": "tech-debt",
    "session_summary": "sessions",
}
