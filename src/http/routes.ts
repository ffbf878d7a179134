/** Every address of the marketplace's REST API and the operation behind it. */
import { getHealth } from './health.ts';
import { route, type Route } from './route.ts';

export const routes: readonly Route[] = [route('GET', '/healthz', getHealth, { unlimited: true })];
