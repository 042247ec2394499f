"""How does untrusted code run? In an interpreter in worker processes, which can do nothing but call us."""
