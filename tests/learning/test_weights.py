"""Every weight says what it is, where it comes from and how well it is supported."""

from tests.requirements import requirement

from recollect.learning.weights import table


@requirement("learning:weights:table")
def test_every_weight_of_gateway_workflow_and_learning_is_in_one_table() -> None:
    weights = table()

    assert list(weights) == ["gateway", "workflow", "learning"]
    for package in weights.values():
        assert package
        for weight in package.values():
            assert weight.about
            assert weight.source
            assert weight.status in ("measured", "inherited", "unproved")
