/**
 * Every operation, whoever asks: each cell has its one right answer, worked out from the table of routes, so that an
 * operation cannot be added without it.
 */
import { exampleOf } from '../../events/catalog.ts';
import { expect } from 'chai';
import type { Route } from '../../src/transport/route.ts';
import { routes } from '../../src/http/routes.ts';
import { type Scope, SCOPES } from '../../src/operations/operation.ts';
import type { TestAnswer } from '../support/api.ts';
import { AGENT } from '../support/job-flows.ts';
import { ABOUT_KEYS, type Askers, startAskers } from './askers.ts';

const { version, profile, manifest } = exampleOf('BundleVersionPublished');
const BUNDLE = exampleOf('BundleVersionPublished').bundle;
/** What stands in the addresses; each name that a route can look up must be here. */
type Real = Readonly<Record<string, string>>;

describe('Who may do what', () => {
  let askers: Askers;
  let api: Askers['api'];
  let real: Real;

  before(async function () {
    this.timeout(240_000);
    askers = await startAskers();
    ({ api } = askers);
    const bundle = { ...profile, agency: profile.agency.slug, version, files: manifest.files };
    await ask('PUT', `/v1/operator/bundles/${BUNDLE}`, api.operator.key, bundle);
    const jobId = await api.jobIn('running');
    const endpoint = await ask('POST', '/v1/webhook-endpoints', api.buyer.key, {
      url: 'https://buyer.example/hooks',
    });
    real = {
      jobId,
      endpointId: String(endpoint.body.data['id']),
      keyId: api.buyer.keyId,
      name: 'matches.csv',
      importId: exampleOf('ImportBegun').importId,
      account: api.buyer.accountId,
      file: 'tools.csv',
    };
    await api.services.projector.caughtUp();
  });
  after(() => api.close());

  function ask(method: string, path: string, key: string | undefined, body?: object): Promise<TestAnswer> {
    const sent = body === undefined ? {} : { rawBody: JSON.stringify(body) };
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    return api.send(method, path, { ...(key === undefined ? {} : { key }), headers, ...sent });
  }

  /** The example of the operation, sent to its address; what stands in it is the example's or, where named, real. */
  function call(
    route: Route,
    key: string | undefined,
    named: Real = {},
    more: Readonly<Record<string, string>> = {},
  ): Promise<TestAnswer> {
    // The examples of operations are objects.
    const example = { ...(route.operation.example.input as Record<string, unknown>), ...more };
    const at = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(named[name] ?? textOf(example[name])),
    );
    const fields = Object.entries(example).filter(([name]) => route.fields.has(name));
    if (route.bytes === 'in')
      return api.send(route.method, at, { ...(key === undefined ? {} : { key }), rawBody: 'x' });
    if (route.readsBody) return ask(route.method, at, key, Object.fromEntries(fields));
    const query = new URLSearchParams(
      Object.fromEntries(fields.map(([name, value]) => [name, String(value)])),
    ).toString();
    return ask(route.method, query === '' ? at : `${at}?${query}`, key);
  }

  const textOf = (value: unknown): string => (typeof value === 'string' ? value : 'x');

  /** Whoever may read for a scope that is of others says whose. */
  const others = () => ({ keyId: api.buyer.keyId });

  /** The code of a refusal; of whatever else, its status. */
  const answerOf = ({ status, body }: TestAnswer): string =>
    status < 400 || body === null ? String(status) : body.error.code;

  /** What is not looked at is as good as none: monitoring, and addresses that are signed themselves. */
  const looksAtKeys = ({ operation: { scope }, limited }: Route): boolean => scope !== null || limited;

  for (const route of routes) {
    const { operation, method, path } = route;
    const { scope, orScope } = operation;
    describe(`${method} ${path}`, () => {
      it(scope === null ? 'needs no key' : 'needs a key', async () => {
        const code = answerOf(await call(route, undefined));
        if (scope === null) expect(ABOUT_KEYS).not.to.include(code);
        else expect(code).to.equal('api_key_missing');
      });

      it('refuses a key that is wrong, revoked, expired or rotated', async () => {
        for (const [how, key] of Object.entries(askers.dead)) {
          const code = answerOf(await call(route, key));
          if (looksAtKeys(route)) expect(code, how).to.equal('api_key_invalid');
          else expect(ABOUT_KEYS, how).not.to.include(code);
        }
      });

      it('refuses a frozen key, and a key of a frozen account', async () => {
        for (const [what, key] of Object.entries(askers.frozen)) {
          const answer = await call(route, key);
          if (!looksAtKeys(route)) continue;
          expect(answerOf(answer), what).to.equal('forbidden');
          expect(answer.body.error.message, what).to.include('frozen');
        }
      });

      it(
        operation.makesTrial
          ? 'spends nothing by a suspended mandate'
          : 'goes on while spending is suspended',
        async () => {
          const answer = await call(route, askers.suspended.key);
          const isDenied = answerOf(answer) === 'mandate_denied';
          expect(isDenied).to.equal(operation.makesTrial === true);
          if (isDenied) expect(answer.body.error.reason).to.equal('mandate_suspended');
          else expect(ABOUT_KEYS).not.to.include(answerOf(answer));
        },
      );

      if (scope !== null)
        it('opens to its scope alone', async () => {
          const opened: Scope[] = [];
          for (const [one, { key }] of askers.alone)
            if (answerOf(await call(route, key, {}, one === orScope ? others() : {})) !== 'scope_missing')
              opened.push(one);
          const wanted =
            scope === 'any_key' ? SCOPES : SCOPES.filter((one) => one === scope || one === orScope);
          expect(opened).to.deep.equal(wanted);
        });

      if (scope !== null)
        it('shows and does nothing of another account or agency', async () => {
          const own = path.startsWith('/v1/provider/') ? askers.otherAgency : askers.stranger;
          const named = { ...real, slug: path.includes('bundles') ? BUNDLE : AGENT };
          const answer = await call(route, own.key, named);
          const names = route.pathParameters;
          // What the Data API has belongs to nobody: a plan opens it.
          const isOfNobody = operation.metered !== undefined;
          const unknown = names.filter((name) => !isOfNobody && !(name in named) && name !== 'deliveryId');
          expect(unknown, 'say above what is real of these').to.deep.equal([]);
          if (scope === 'operator:write') expect(answerOf(answer)).to.equal('scope_missing');
          else if (isOfNobody) expect(answerOf(answer)).to.equal('plan_required');
          else if (names.length > 0) expect(answerOf(answer)).to.equal('not_found');
          else
            for (const id of [api.buyer.accountId, api.buyer.keyId, real['jobId'] ?? ''])
              expect(answer.text).not.to.include(id);
        });

      if (operation.metered !== undefined)
        it('opens to an account with a plan', async () => {
          const answer = await call(route, askers.customer.key);
          expect(['200', 'not_found']).to.include(answerOf(answer));
        });
    });
  }
});
