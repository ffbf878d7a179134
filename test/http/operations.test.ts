/** What every operation owes its reader: held for all at once. */
import { expect } from 'chai';
import { z } from 'zod';
import { refusalsOf } from '../../src/http/openapi/implied-refusals.ts';
import { routes } from '../../src/http/routes.ts';

interface Field {
  readonly path: string;
  readonly schema: z.core.$ZodType;
  /** Whether something around it shows an example of it. */
  readonly isShown: boolean;
}

/** Every named field below a schema, whatever is around it. */
function fieldsOf(schema: z.core.$ZodType, path: string, isShown: boolean): Field[] {
  const shown = isShown || 'example' in metaOf(schema);
  if (schema instanceof z.ZodObject) {
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]) => {
      const at = `${path}.${name}`;
      return [
        { path: at, schema: field, isShown: shown || 'example' in metaOf(field) },
        ...fieldsOf(field, at, shown),
      ];
    });
  }
  return innerOf(schema).flatMap((inner) => fieldsOf(inner, path, shown));
}

function innerOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  const def: { innerType?: z.core.$ZodType } = schema._zod.def as object;
  return def.innerType === undefined ? [] : [def.innerType];
}

/** A description may stand on the field or on what it wraps. */
function metaOf(schema: z.core.$ZodType): Record<string, unknown> {
  return Object.assign({}, ...innerOf(schema).slice(0, 1).map(metaOf), z.globalRegistry.get(schema));
}

describe('operations', () => {
  it('have names and addresses of their own', () => {
    const names = routes.map(({ operation }) => operation.name);
    const addresses = routes.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size, 'names').to.equal(routes.length);
    expect(new Set(addresses).size, 'addresses').to.equal(routes.length);
    for (const name of names) expect(name).to.match(/^[a-z]+([A-Z][a-z]+)+$/);
  });

  for (const route of routes) {
    const { operation } = route;
    describe(operation.name, () => {
      const all = [
        ...fieldsOf(operation.input, 'input', false),
        ...fieldsOf(operation.output, 'output', false),
        ...(operation.meta ? fieldsOf(operation.meta, 'meta', false) : []),
      ];

      it('says what it is for', () => {
        expect(operation.summary).to.match(/^[A-Z].{8,}/);
        expect(operation.description.length).to.be.greaterThan(8);
      });

      it('describes every field', () => {
        const silent = all.filter(({ schema }) => typeof metaOf(schema)['description'] !== 'string');
        expect(silent.map(({ path }) => path)).to.deep.equal([]);
      });

      it('shows an example of every field that holds a value', () => {
        const hidden = all.filter(
          ({ schema, isShown }) => !isShown && fieldsOf(schema, '', false).length === 0,
        );
        expect(hidden.map(({ path }) => path)).to.deep.equal([]);
      });

      it('has an example that its own schemas take', () => {
        expect(operation.input.safeParse(operation.example.input).error).to.equal(undefined);
        expect(operation.output.safeParse(operation.example.output).error).to.equal(undefined);
      });

      it('takes nothing that it does not know', () => {
        const { error } = operation.input.safeParse({
          ...Object(operation.example.input),
          nobodyKnowsThis: 1,
        });
        expect(error?.issues.map(({ code }) => code)).to.deep.equal(['unrecognized_keys']);
      });

      it('lists what it may refuse, each once', () => {
        expect(new Set(operation.refusals).size).to.equal(operation.refusals.length);
        expect(refusalsOf(route)).to.include.members(['invalid_request', 'internal', 'unavailable']);
      });

      it('tells of a list where its page stands and how long it is', () => {
        if (!route.fields.has('cursor')) return;
        const meta = operation.meta instanceof z.ZodObject ? Object.keys(operation.meta.shape) : [];
        expect(meta).to.include.members(['limit', 'nextCursor', 'total']);
      });

      it('changes nothing when it is asked for by GET', () => {
        if (route.method === 'GET') expect(operation.kind).to.equal('query');
      });
    });
  }
});
