import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { RETRY_AFTER_DEFAULT_SECONDS } from '../../src/transport/refusal-status.ts';
import { routes } from '../../src/http/routes.ts';

const page = readFileSync(new URL('../../docs/retries.md', import.meta.url), 'utf8');
const named = [...page.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?]+)[^`]*`/g)].map(
  ([, method = '', path = '']) => `${method} ${path}`,
);

describe('The page on trying again', () => {
  it('names operations that there are', () => {
    const there = routes.map(({ method, path }) => `${method} ${path}`);
    for (const one of named) expect(there).to.include(one);
  });

  it('says of each change of an operator what repeating it does, save of what is listed', () => {
    const theirs = routes
      .filter(({ operation: { kind }, path }) => kind === 'command' && path.startsWith('/v1/operator/'))
      .filter(
        ({ method, path }) => method !== 'PUT' && !/^\/v1\/operator\/(?:agents|bundles|digest)/.test(path),
      )
      .map(({ method, path }) => `${method} ${path}`);
    expect(theirs).to.not.be.empty;
    expect(theirs.filter((one) => !named.includes(one))).to.deep.equal([]);
  });

  it('says of each change that a key’s owner can make what repeating it does', () => {
    const theirs = routes
      .filter(({ operation: { kind }, path }) => kind === 'command' && path.startsWith('/v1/'))
      .filter(({ path }) => !/^\/v1\/(?:operator|provider\/(?!jobs))/.test(path))
      .map(({ method, path }) => `${method} ${path}`);
    expect(theirs.filter((one) => !named.includes(one))).to.deep.equal([]);
  });

  it('tells the pauses that are asked for', () => {
    expect(RETRY_AFTER_DEFAULT_SECONDS).to.include({ idempotency_in_progress: 1, unavailable: 1 });
    expect(page).to.include('`Retry-After` is 1 second, or 5 while a view is built');
  });
});
