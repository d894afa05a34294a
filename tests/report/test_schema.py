"""Every report says in JSON what the schema describes, and nothing else."""

import json

import jsonschema
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import RidgeClassifier

from infoprop.credit import credit_rows
from infoprop.metrics import InformationFlow
from infoprop.pairwise import PairwiseClassifier
from infoprop.report import Report
from infoprop.selection import (
    BackwardEliminationSelector,
    DirectedSearchSelector,
    ForwardBeamSelector,
    GeneticSelector,
)
from infoprop.shaping import FeatureShaper


@pytest.fixture(scope="module")
def validator():
    schema = Report.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def flow_of(model, iris):
    return InformationFlow.from_predictions(iris[1], model.predict(iris[0]))


def test_bare_credits(validator, credits):
    validator.validate(json.loads(Report.from_credits(credits).json()))


def test_everything_that_goes_with_credits(validator, iris):
    eliminated = BackwardEliminationSelector(
        RidgeClassifier(), n_features_to_select="auto", rule="tolerance", random_state=0
    ).fit(*iris)
    directed = DirectedSearchSelector(RidgeClassifier(), n_features_to_select=2, random_state=0).fit(*iris)
    report = Report.from_credits(
        eliminated.credits_,
        selected=eliminated.support_,
        retrained=flow_of(eliminated, iris),
        path=eliminated.path_,
        rule="tolerance",
        tolerance=0.01,
        trace=directed.trace_,
        shapes=FeatureShaper(multiclass="ovr").fit(*iris),
        rows=credit_rows(RidgeClassifier().fit(*iris), iris[0][:2]),
        row_classes=[0, 2],
        code="print('hello')",
        data="iris",
        n_rows=150,
        target="class",
        settings={"C": 1},
    )
    plain = json.loads(report.json())
    validator.validate(plain)
    assert plain["path"]["rule"] == "tolerance"
    assert plain["run"]["code"] == "print('hello')"


def test_everything_that_goes_without_credits(validator, iris):
    forward = ForwardBeamSelector(random_state=0).fit(*iris)
    genetic = GeneticSelector(population_size=4, n_generations=2, random_state=0).fit(*iris)
    pairs = PairwiseClassifier(selector=ForwardBeamSelector(), random_state=0).fit(*iris)
    report = Report.from_flow(
        flow_of(pairs, iris),
        feature_names=["a", "b", "c", "d"],
        selected=forward.support_,
        beam=forward.trace_,
        evolution=genetic.trace_,
        pairs=pairs,
    )
    plain = json.loads(report.json())
    validator.validate(plain)
    assert plain["features"]["name"] == []
    assert plain["selected"] == list(np.array(list("abcd"))[forward.support_])


def test_weighted_rows_and_corrected_entropies(validator):
    flow = InformationFlow.from_confusion([[2.5, 1.0], [0.25, 3.0]], correction="miller-madow")
    validator.validate(json.loads(Report.from_flow(flow, feature_names=["a"]).json()))


def test_schema_describes_every_field():
    def undescribed(schema, place):
        for name, entry in schema.get("properties", {}).items():
            told = "description" in entry or "$ref" in entry or "$ref" in str(entry.get("anyOf"))
            yield from [] if told else [f"{place}/{name}"]
            yield from undescribed(entry, f"{place}/{name}")
            yield from undescribed(entry.get("items", {}), f"{place}/{name}")

    schema = Report.schema()
    assert list(undescribed(schema, "")) == []
    assert [name for part in schema["$defs"].values() for name in undescribed(part, "")] == []
    assert all("description" in part for part in schema["$defs"].values())
