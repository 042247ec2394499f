"""The limit on memories, where every way of writing them passes: a trigger counts after each statement."""

from recollect.storage.postgres.database import Connection
from recollect.storage.postgres.failures import LIMIT_REACHED

_TRIGGER = f"""
CREATE FUNCTION memory_limit_holds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    scope text := current_setting('recollect.project', true);
    most integer := (SELECT memories FROM project_limits WHERE project = scope);
    number bigint;
BEGIN
    IF most > 0 THEN
        SELECT count(*) INTO number FROM memory WHERE project = scope;
        IF number > most THEN
            RAISE EXCEPTION 'the project may have % memories', most USING ERRCODE = '{LIMIT_REACHED}';
        END IF;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER memory_limit AFTER INSERT ON memory
    FOR EACH STATEMENT EXECUTE FUNCTION memory_limit_holds();
"""


def apply(connection: Connection) -> None:
    connection.execute(_TRIGGER)
