/** Names in the description are names in everybody's generated code: none goes or moves without a word. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { openApiText } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes.ts';

interface Names {
  /** The tag of each operation by its id. */
  readonly operations: Readonly<Record<string, string>>;
  readonly schemas: readonly string[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string; tags: string[] }>>>>;
  readonly components: { readonly schemas: object };
}

const text = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the names in the description of the API', () => {
  const released = JSON.parse(text('released-names.json')) as Names;
  const { paths, components } = JSON.parse(openApiText(routes)) as Document;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const tags = new Map(operations.map((operation) => [operation.operationId, operation.tags.join()]));
  const unreleased = text('../../CHANGELOG.md').split(/^## /m)[1] ?? '';
  const untold = (name: string): boolean => !unreleased.includes(`\`${name}\``);

  it('keep each operation and its tag, or the changelog says otherwise', () => {
    const changed = Object.entries(released.operations).filter(([id, tag]) => tags.get(id) !== tag);
    expect(changed.map(([id]) => id).filter(untold)).to.deep.equal([]);
  });

  it('keep each schema, or the changelog says otherwise', () => {
    const gone = released.schemas.filter((name) => !(name in components.schemas));
    expect(gone.filter(untold)).to.deep.equal([]);
  });
});
