"""The API described as OpenAPI 3.1, from the same values that make its routes."""

import re
from collections.abc import Iterable
from typing import Any

from recollect.loopback.answers import ErrorAnswer
from recollect.loopback.endpoint import API, EVENT_STREAM, PLAIN_TEXT, Endpoint, NoValues, adapter
from recollect.records.json_schema import type_schema, typed_dict_schema

_SCHEMAS = "#/components/schemas/"
_ERRORS = {
    400: "The request is not valid.",
    401: "No token.",
    403: "Not from this site, or not permitted for whoever started the page.",
    404: "Not found.",
    409: "Refused, with the reason; or someone else was first.",
    413: "The body is too large.",
    421: "The request was meant for another host.",
    429: "Too many requests from this project; `Retry-After` says when to retry.",
    503: "The store cannot be used now, or there are too many listeners.",
}
_EVERYWHERE = (400, 401, 403, 404, 409, 421, 429, 503)
_MARKER = {
    "name": "X-Recollect",
    "in": "header",
    "required": True,
    "description": "Other sites cannot send it.",
    "schema": {"type": "string", "enum": ["1"]},
}


class _Schemas:
    """The named schemas of a document, collected while they are referred to."""

    def __init__(self) -> None:
        self.named: dict[str, Any] = {}

    def answer(self, declared: Any) -> dict[str, Any]:
        """The schema of an answer; typed dicts are named."""
        return type_schema(declared, self._refer)

    def request(self, declared: type) -> dict[str, Any]:
        """The schema of a query or body, whole; what it is made of is named."""
        schema = adapter(declared).json_schema(ref_template=_SCHEMAS + "{model}")
        self.named |= schema.pop("$defs", {})
        return schema

    def body(self, declared: type) -> dict[str, Any]:
        """A body by its name."""
        self.named[declared.__name__] = self.request(declared) | {"additionalProperties": False}
        return {"$ref": _SCHEMAS + declared.__name__}

    def _refer(self, declared: Any) -> dict[str, Any]:
        name = declared.__name__
        if name not in self.named:
            self.named[name] = {}  # a type may refer to itself
            about = {"description": re.sub(r"\s+", " ", (declared.__doc__ or "").strip())}
            self.named[name] = typed_dict_schema(declared, self._refer) | about
        return {"$ref": _SCHEMAS + name}


def document(endpoints: Iterable[Endpoint[Any]], version: str) -> dict[str, Any]:
    """The description of an API."""
    schemas, paths = _Schemas(), dict[str, Any]()
    for endpoint in endpoints:
        operations = paths.setdefault(API + endpoint.path.replace(":path}", "}"), {})
        operations[endpoint.method.lower()] = _operation(endpoint, schemas)
    error = {"application/json": {"schema": schemas.answer(ErrorAnswer)}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Recollect",
            "version": version,
            "description": "The API behind the page of `recollect web`, on this machine only.",
        },
        "servers": [{"url": "/"}],
        "security": [{"cookie": []}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.named.items())),
            "responses": {
                f"Error{code}": {"description": meaning, "content": error}
                for code, meaning in _ERRORS.items()
            },
            "securitySchemes": {
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "recollect-PORT",
                    "description": "Set when the address with the token is opened; its name has the port.",
                },
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token, for programs.",
                },
            },
        },
    }


def _operation(endpoint: Endpoint[Any], schemas: _Schemas) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": _name(endpoint),
        "summary": endpoint.summary,
        "tags": [endpoint.path.partition("/")[0].removesuffix(".json")],
    }
    parameters = [_path_parameter(name) for name in endpoint.parameters]
    parameters += _query_parameters(endpoint.query, schemas)
    if endpoint.method != "GET":
        parameters.append(_MARKER)
    if endpoint.answer == EVENT_STREAM:
        parameters.append(_LAST_EVENT)
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not NoValues:
        content = {"application/json": {"schema": schemas.body(endpoint.body)}}
        operation["requestBody"] = {"required": True, "content": content}
    operation["responses"] = {"200": _success(endpoint, schemas)} | {
        str(code): {"$ref": f"#/components/responses/Error{code}"} for code in _codes(endpoint)
    }
    return operation


_LAST_EVENT = {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "The last event that the client has; the stream continues after it.",
    "schema": {"type": "string"},
}


def _success(endpoint: Endpoint[Any], schemas: _Schemas) -> dict[str, Any]:
    if endpoint.answer == EVENT_STREAM:
        return {"description": "Server-sent events.", "content": {EVENT_STREAM: {}}}
    if endpoint.answer == PLAIN_TEXT:
        return {"description": "The text.", "content": {PLAIN_TEXT: {"schema": {"type": "string"}}}}
    schema = schemas.answer(endpoint.answer)
    return {"description": "The answer.", "content": {"application/json": {"schema": schema}}}


def _codes(endpoint: Endpoint[Any]) -> list[int]:
    """The errors that an endpoint may answer with; the project itself may be gone at any time."""
    return [*_EVERYWHERE] if endpoint.method == "GET" else sorted([*_EVERYWHERE, 413])


def _path_parameter(name: str) -> dict[str, Any]:
    schema = {"type": "string", "minLength": 1}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _query_parameters(declared: type, schemas: _Schemas) -> list[dict[str, Any]]:
    schema = schemas.request(declared)
    required = schema.get("required", ())
    parameters = []
    for name, value in schema.get("properties", {}).items():
        shape = {key: part for key, part in value.items() if key not in ("title", "description")}
        parameter = {"name": name, "in": "query", "required": name in required, "schema": shape}
        if "description" in value:
            parameter["description"] = value["description"]
        parameters.append(parameter)
    return parameters


def _name(endpoint: Endpoint[Any]) -> str:
    """A name for generated clients: `get_runs_run_events`."""
    words = re.findall(r"[a-z0-9]+", endpoint.path.lower())
    return "_".join([endpoint.method.lower(), *words])
