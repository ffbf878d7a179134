/** What generators of clients need of the description, whatever operations there are. */
import { expect } from 'chai';
import { descriptions } from '../../src/http/openapi/descriptions.ts';
import { openApiText } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes.ts';

type Node = Readonly<Record<string, unknown>>;

interface Contents {
  readonly content?: Readonly<Record<string, { readonly schema: Node }>>;
}
interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly parameters?: readonly { readonly name: string; readonly schema: Node }[];
  readonly requestBody?: Contents;
  readonly responses: Readonly<Record<string, Contents>>;
}
interface Document {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
}

interface Found {
  readonly at: string;
  readonly name: string;
  readonly schema: Node;
}

/** Every schema below a node with the place where it stands; examples are no schemas. */
function schemasIn(node: unknown, at: string, name: string): Found[] {
  if (node === null || typeof node !== 'object') return [];
  const inner = Object.entries(node)
    .filter(([key]) => !['example', 'examples', 'default', 'enum'].includes(key))
    .flatMap(([key, value]) => schemasIn(value, `${at}/${key}`, key));
  return [{ at, name, schema: node as Node }, ...inner];
}

const places = (found: readonly Found[]): string[] => found.map(({ at }) => at);

for (const { file, includes, info } of descriptions)
  describe(`${file}, for generators`, () => rulesOf(openApiText(routes.filter(includes), info)));

function rulesOf(text: string): void {
  const document = JSON.parse(text) as Document;
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const all = schemasIn(document, '', '');

  it('gives every object a name', () => {
    const anonymous = all.filter(
      ({ at, schema }) => 'properties' in schema && !/^\/components\/schemas\/\w+$/.test(at),
    );
    expect(places(anonymous)).to.deep.equal([]);
  });

  it('names each request and answer by its operation, and answers every success alike', () => {
    for (const { operationId, requestBody, responses } of operations) {
      const own = `#/components/schemas/${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
      const body = requestBody?.content?.['application/json'];
      if (body !== undefined) expect(body.schema).to.deep.equal({ $ref: `${own}Request` });
      const answers = Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([, response]) => response.content?.['application/json']?.schema ?? []);
      for (const schema of answers) expect(schema).to.deep.equal({ $ref: `${own}Answer` });
    }
  });

  it('describes bytes as bytes, both ways, and no 304 beside them', () => {
    const binary = { type: 'string', format: 'binary', description: 'The bytes of the file.' };
    const files = operations.filter(({ responses }) => '206' in responses);
    expect(files).to.not.have.lengthOf(0);
    for (const { responses } of files) {
      for (const status of ['200', '206'])
        expect(responses[status]?.content?.['application/octet-stream']?.schema).to.deep.equal(binary);
      expect(responses).to.not.have.property('304');
    }
    const upload = operations.find(({ operationId }) => operationId === 'attachArtifact')?.requestBody;
    if (upload !== undefined)
      expect(upload.content?.['application/octet-stream']?.schema).to.deep.equal(binary);
  });

  it('tells of CSV in words, and gives JSON one type, which no generator has to guess', () => {
    const asked = operations.filter(({ parameters = [] }) =>
      parameters.some(({ name, schema }) => name === 'format' && schema['default'] === 'json'),
    );
    const told = operations.filter((operation) => 'x-other-media-types' in operation);
    expect(told).to.deep.equal(asked);
    for (const { description } of told)
      expect(description).to.include('With `format=csv` it answers `text/csv`');
    for (const { operationId, responses } of operations)
      for (const { content = {} } of Object.values(responses))
        expect(Object.keys(content).length, operationId).to.be.at.most(1);
  });

  it('has no parameter that OpenAPI ignores, and none of several types', () => {
    for (const { parameters = [] } of operations) {
      for (const { name, schema } of parameters) {
        expect(name).to.not.match(/^(?:Accept|Content-Type|Authorization)$/i);
        expect(schema).to.not.have.any.keys('anyOf', 'oneOf', 'allOf');
        expect(schema['type'], name).to.be.a('string');
      }
    }
  });

  it('calls every time one', () => {
    const strings = all.filter(({ schema }) => [schema['type']].flat().includes('string'));
    const untold = strings.filter(
      ({ name, schema }) =>
        (/(?:At|Since|Until|From|asOf)$/.test(name) || /^\d{4}-\d\d-\d\dT/.test(String(schema['example']))) &&
        schema['format'] !== 'date-time',
    );
    expect(places(untold)).to.deep.equal([]);
  });

  it('keeps integers within 2^53 and says their size', () => {
    const integers = all.filter(({ schema }) => [schema['type']].flat().includes('integer'));
    expect(integers).to.not.have.lengthOf(0);
    for (const { at, schema } of integers) {
      expect(schema['format'], at).to.equal('int64');
      expect(Math.abs(Number(schema['minimum'])), at).to.be.at.most(Number.MAX_SAFE_INTEGER);
      expect(Math.abs(Number(schema['maximum'])), at).to.be.at.most(Number.MAX_SAFE_INTEGER);
    }
  });

  it('lists words in an enum and nothing else', () => {
    for (const { at, schema } of all) {
      if (!Array.isArray(schema['enum'])) continue;
      expect(schema['enum'], at).to.not.have.lengthOf(0);
      for (const value of schema['enum']) expect(value, at).to.be.a('string');
    }
  });

  it('offers alternatives only between one schema and null', () => {
    const alternatives = all.flatMap(({ at, schema }) => {
      expect(schema, at).to.not.have.any.keys('oneOf', 'allOf');
      return Array.isArray(schema['anyOf']) ? [{ at, options: schema['anyOf'] as Node[] }] : [];
    });
    for (const { at, options } of alternatives) {
      expect(options, at).to.have.lengthOf(2);
      expect(options[1], at).to.deep.equal({ type: 'null' });
    }
    const types = all.map(({ schema }) => schema['type']).filter((type) => Array.isArray(type));
    for (const type of types) expect([type.length, type[1]]).to.deep.equal([2, 'null']);
  });

  it('requires no list that may be null, which readers in Java throw on', () => {
    const required = all.flatMap(({ at, schema: { properties = {}, required: names = [] } }) =>
      Object.entries(properties as Readonly<Record<string, Node>>)
        .filter(([name]) => (names as readonly string[]).includes(name))
        .filter(([, { type }]) => Array.isArray(type) && type.includes('array') && type.includes('null'))
        .map(([name]) => `${at}/${name}`),
    );
    expect(required).to.deep.equal([]);
  });

  it('writes patterns that every engine of patterns reads', () => {
    for (const { at, schema } of all) {
      const { pattern } = schema;
      if (typeof pattern !== 'string') continue;
      expect(() => new RegExp(pattern, 'u'), at).to.not.throw();
      expect(pattern, at).to.not.match(/\\[pPuk]|\(\?[<=!]|\$\/[a-z]*$/);
    }
  });

  it('says of other fields than those it names what they are, else clients in Go refuse them', () => {
    const vague = all.filter(({ schema: { properties, additionalProperties: others } }) => {
      const isSaid = typeof others === 'object' && others !== null && 'description' in others;
      return properties !== undefined && others !== undefined && others !== false && !isSaid;
    });
    expect(places(vague)).to.deep.equal([]);
  });

  it('holds no byte order mark, which no source in Go may hold', () => {
    expect(text).to.not.include('\ufeff');
  });

  it('says once that a head can be too large: it is refused before there is an operation', () => {
    expect(document.info.description).to.include('larger than 16 KiB together is 431 `invalid_request`');
    for (const { operationId, responses } of operations)
      expect(responses, operationId).to.not.have.property('431');
  });

  it('shows no cursor, which belongs to a question that was asked before', () => {
    const cursors = operations.flatMap(({ parameters = [] }) =>
      parameters.filter(({ name }) => name === 'cursor' || name === 'after'),
    );
    expect(cursors).to.not.have.lengthOf(0);
    for (const { schema } of cursors) expect(schema).to.not.have.property('example');
  });
}
