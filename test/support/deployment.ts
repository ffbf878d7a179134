/** What infra/docker and infra/kubernetes say, as data: the files parsed, and the processes that they would start. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly profiles?: readonly string[];
  readonly deploy?: { readonly replicas: number };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly object[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  // Of many shapes: each test looks at the part that it is about.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly spec?: any;
}

export function projectFile(path: string): string {
  return readFileSync(ROOT + path, 'utf8');
}

export function isProjectPath(path: string): boolean {
  return existsSync(ROOT + path);
}

/** All TypeScript below a folder, as one text. */
export function sourceText(folder: string): string {
  const files = readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((name) => name.endsWith('.ts'));
  return sources.map((name) => projectFile(`${folder}/${name}`)).join('\n');
}

/** Variables as `.env` would give them; the rest have the defaults that the file writes beside them. */
export function composeServices(
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, ComposeService>> {
  const text = interpolated(projectFile('infra/docker/compose.yaml'), given);
  return parse(text, { merge: true }).services;
}

/** `${NAME:-default}`, the innermost first, and `${NAME:?message}`, which is an error without a value. */
function interpolated(text: string, given: Readonly<Record<string, string>>): string {
  const innermost = /\$\{(?<name>\w+)(?::(?<kind>[-?])(?<rest>[^${}]*))?\}/;
  let result = text;
  for (let found = innermost.exec(result); found?.groups; found = innermost.exec(result)) {
    const { name = '', kind, rest = '' } = found.groups;
    const value = given[name] || (kind === '-' ? rest : undefined);
    if (value === undefined) throw new Error(`${name}: ${rest}`);
    result = result.replace(found[0], () => value);
  }
  return result;
}

/** Every document below infra/kubernetes, the example of the secret included. */
export function manifests(): readonly Manifest[] {
  const folder = 'infra/kubernetes';
  const files = readdirSync(ROOT + folder).filter((name) => name.endsWith('.yaml'));
  return files.flatMap((name) =>
    parseAllDocuments(projectFile(`${folder}/${name}`)).map((document) => {
      if (document.errors.length > 0) throw new Error(`${name}: ${document.errors.join(', ')}`);
      return document.toJS();
    }),
  );
}

/** Such as `COPY a b to/` in `Dockerfile`: the words after each COPY from the project itself. */
export function copiedIntoImage(): readonly string[] {
  return projectFile('infra/docker/Dockerfile')
    .split('\n')
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(/\s+/).slice(1, -1));
}
