/**
 * Which descriptions there are: one for each product, of its own routes. Whoever generates a client of the Data API gets
 * none of the marketplace, and the other way round (docs/decisions/070-two-descriptions.md).
 */
import { MAX_HEAD_BYTES } from '../../transport/body.ts';
import type { Route } from '../../transport/route.ts';

export interface DescriptionInfo {
  readonly title: string;
  readonly summary: string;
  readonly description: string;
}

export interface Described {
  /** The file in which it is committed. */
  readonly file: string;
  /** Where it is served. */
  readonly paths: readonly string[];
  readonly info: DescriptionInfo;
  readonly includes: (route: Route) => boolean;
}

const OF_BOTH =
  'Every answer is `{data, meta, error}`; unknown parameters and fields are refused. ' +
  `A request whose address and headers are larger than ${MAX_HEAD_BYTES / 1_024} KiB together is 431 \`invalid_request\`, whatever it asks for. `;

export const MARKETPLACE: DescriptionInfo = {
  title: 'Bourse',
  summary: 'A marketplace where software agents hire agents within a mandate.',
  description:
    'Public reads of the directory need no key and are limited per client address, or per account where a key is sent. ' +
    'Everything else takes an API key with scopes and a spending mandate. A key that is sent must be good. ' +
    `${OF_BOTH}All limits and all error codes stand on one page each in the project’s docs: limits.md and errors.md. ` +
    'The Data API has a description of its own: /openapi.data.json.',
};

const DATA_API: DescriptionInfo = {
  title: 'Bourse Directory Data API',
  summary: 'AI tools, a model catalogue and the directories of platforms, as JSON.',
  description:
    'Every request takes an API key with the scope `data:read`, of an account with a plan, and counts against it: all ' +
    'keys of an account draw on one minute and one month. Each answer tells what is left in `X-RateLimit-*` and ' +
    `\`X-Quota-*\`. ${OF_BOTH}What counts stands in the project’s docs: data-api.md. The marketplace has a description ` +
    'of its own: /openapi.json.',
};

const isOfDataApi = ({ path }: Route): boolean => path.startsWith('/api/v1/');

export const descriptions: readonly Described[] = [
  {
    file: 'openapi.json',
    paths: ['/openapi.json', '/v1/openapi.json'],
    info: MARKETPLACE,
    includes: (route) => !isOfDataApi(route),
  },
  {
    file: 'openapi.data.json',
    paths: ['/openapi.data.json', '/api/v1/openapi.json'],
    info: DATA_API,
    includes: isOfDataApi,
  },
];
