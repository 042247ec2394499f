"""What is wrong with a memory root, and how is it fixed?

`checks`, `environment`, `sessions` and `skills` find problems; `doctor` runs them and fixes what is safe to
fix. Nothing here deletes a memory or changes its content.
"""
