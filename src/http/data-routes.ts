/** Every address of the Directory Data API and the operation behind it. */
import { getModel } from '../operations/data/get-model.ts';
import { getTool } from '../operations/data/get-tool.ts';
import { listDataChanges } from '../operations/data/list-data-changes.ts';
import { listDirectories } from '../operations/data/list-directories.ts';
import { listDirectoryRows } from '../operations/data/list-directory-rows.ts';
import { listModels } from '../operations/data/list-models.ts';
import { listTools } from '../operations/data/list-tools.ts';
import { getUsageHistory } from '../operations/plans/get-usage-history.ts';
import { getUsage } from '../operations/plans/get-usage.ts';
import { exportRoutes } from './export-routes.ts';
import { route, type Route } from '../transport/route.ts';

export const dataRoutes: readonly Route[] = [
  route('GET', '/api/v1/directory', listDirectories),
  route('GET', '/api/v1/directory/{platform}/{contentType}', listDirectoryRows),
  route('GET', '/api/v1/tools', listTools, { fastPath: true }),
  route('GET', '/api/v1/tools/{id}', getTool, { fastPath: true, wildcard: true }),
  route('GET', '/api/v1/models', listModels, { fastPath: true }),
  route('GET', '/api/v1/models/{id}', getModel, { fastPath: true, wildcard: true }),
  route('GET', '/api/v1/changes', listDataChanges),
  route('GET', '/api/v1/usage', getUsage),
  route('GET', '/api/v1/usage/history', getUsageHistory),
  ...exportRoutes,
];
