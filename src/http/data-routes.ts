/** Every address of the Directory Data API and the operation behind it. */
import { listTools } from '../operations/data/list-tools.ts';
import { getUsageHistory } from '../operations/plans/get-usage-history.ts';
import { getUsage } from '../operations/plans/get-usage.ts';
import { exportRoutes } from './export-routes.ts';
import { route, type Route } from '../transport/route.ts';

export const dataRoutes: readonly Route[] = [
  route('GET', '/api/v1/tools', listTools, { fastPath: true }),
  route('GET', '/api/v1/usage', getUsage),
  route('GET', '/api/v1/usage/history', getUsageHistory),
  ...exportRoutes,
];
