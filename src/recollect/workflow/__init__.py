"""What runs next? Tasks that call tools, the graph they form, and what happens to a run of them."""
