/** The addresses of whole data sets. */
import { getExport, getExportManifest } from '../operations/exports/get-export.ts';
import { listExports } from '../operations/exports/list-exports.ts';
import { route, type Route } from '../transport/route.ts';

/** Under which names a file's conditions are sent. */
export const FILE_HEADERS = {
  range: 'Range',
  ifRange: 'If-Range',
  ifMatch: 'If-Match',
  ifNoneMatch: 'If-None-Match',
} as const;

export const exportRoutes: readonly Route[] = [
  route('GET', '/api/v1/export', listExports),
  route('GET', '/api/v1/export/{file}', getExport, { bytes: 'out', headers: FILE_HEADERS }),
  route('GET', '/api/v1/export/{file}/manifest', getExportManifest),
];
