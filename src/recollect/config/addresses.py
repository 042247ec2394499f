"""Addresses of databases, as people may see them."""

import re


def without_password(text: str) -> str:
    """An address without the password in it."""
    text = re.sub(r"(?<=://)([^:@]*):.*@", r"\1@", text)
    return re.sub(r"(?i)\b(password|sslpassword)\s*=\s*('[^']*'|[^\s&]*)", r"\1=...", text)
