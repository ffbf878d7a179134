/** The statements of questions, compiled once: that costs as much as a short answer. */
import type { Database, Statement } from 'better-sqlite3';
import type { Parameter } from './view-conditions.ts';

/** Questions differ in form by their fields, order and number of words. */
const MAX_STATEMENTS = 300;

/** Gives the statement of a text; its rows are arrays. */
export type Prepared = <Row>(text: string) => Statement<Parameter[], Row>;

export function preparedStatements(db: Database): Prepared {
  const statements = new Map<string, Statement<Parameter[]>>();
  return <Row>(text: string): Statement<Parameter[], Row> => {
    const known = statements.get(text);
    const statement = known ?? db.prepare<Parameter[]>(text).raw();
    if (known === undefined) {
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      statements.set(text, statement);
    }
    // Whoever wrote the text knows its columns.
    return statement as Statement<Parameter[], Row>;
  };
}
