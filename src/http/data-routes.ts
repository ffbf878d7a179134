/** Every address of the Directory Data API and the operation behind it. */
import { getModel } from '../operations/data/get-model.ts';
import { getTool } from '../operations/data/get-tool.ts';
import { listDataChanges } from '../operations/data/list-data-changes.ts';
import { listDirectories } from '../operations/data/list-directories.ts';
import { listDirectoryRows } from '../operations/data/list-directory-rows.ts';
import { listModels } from '../operations/data/list-models.ts';
import { listTools } from '../operations/data/list-tools.ts';
import { getExport, getExportManifest } from '../operations/exports/get-export.ts';
import { listExports } from '../operations/exports/list-exports.ts';
import { getUsageHistory } from '../operations/plans/get-usage-history.ts';
import { getUsage } from '../operations/plans/get-usage.ts';
import { route, type Route } from '../transport/route.ts';

/** Under which names a file's conditions are sent. */
export const FILE_HEADERS = {
  range: 'Range',
  ifRange: 'If-Range',
  ifMatch: 'If-Match',
  ifNoneMatch: 'If-None-Match',
} as const;

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
  route('GET', '/api/v1/export', listExports),
  route('GET', '/api/v1/export/{file}', getExport, { bytes: 'out', headers: FILE_HEADERS }),
  route('GET', '/api/v1/export/{file}/manifest', getExportManifest),
];
