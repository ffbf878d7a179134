/** The addresses by which operators fill the Data API, and say who may ask it. */
import { createImport } from '../operations/imports/create-import.ts';
import { getImport, listImports } from '../operations/imports/list-imports.ts';
import { cancelAccountPlan, getAccountPlan, setAccountPlan } from '../operations/plans/plan-of-account.ts';
import { route, type Route } from '../transport/route.ts';

export const dataOperatorRoutes: readonly Route[] = [
  route('POST', '/v1/operator/imports', createImport, {
    bytes: 'in',
    headers: { contentType: 'Content-Type', sha256: 'X-Content-SHA256' },
  }),
  route('GET', '/v1/operator/imports', listImports),
  route('GET', '/v1/operator/imports/{importId}', getImport),
  route('GET', '/v1/operator/accounts/{account}/plan', getAccountPlan),
  route('PUT', '/v1/operator/accounts/{account}/plan', setAccountPlan),
  route('DELETE', '/v1/operator/accounts/{account}/plan', cancelAccountPlan),
];
