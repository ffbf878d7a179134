import { expect } from 'chai';
import { z } from 'zod';
import { fieldErrorsOf, WORDING } from '../../src/calling/field-errors.ts';
import { trialInputSchema } from '../../src/operations/jobs/trial-input.ts';

describe('what is wrong with an input, in words', () => {
  const faults = (input: object): unknown[] => {
    const parsed = trialInputSchema.safeParse({ agent: 'x', brief: 'y', ...input }, WORDING);
    return parsed.success ? [] : fieldErrorsOf(parsed.error).map(({ message }) => message);
  };

  it('says what is wrong with a name', () => {
    const wrong = (name: string) => faults({ metadata: { [name]: 'v' } });
    expect(wrong('k'.repeat(41))).to.deep.equal(['has a name that must have at most 40 characters']);
    expect(wrong('')).to.deep.equal(['has a name that must not be empty']);
    expect(wrong('a\nb')).to.deep.equal(['has a name that must be one line without control characters']);
  });

  it('counts one of a thing as one', () => {
    const sent = z.object({
      q: z.string().min(1),
      ids: z.array(z.string()).min(1),
      names: z.array(z.string()).min(2),
    });
    const parsed = sent.safeParse({ q: '', ids: [], names: [] }, WORDING);
    expect(parsed.error && fieldErrorsOf(parsed.error).map(({ message }) => message)).to.deep.equal([
      'must have at least 1 character',
      'must have at least 1 entry',
      'must have at least 2 entries',
    ]);
  });

  it('says that a value has not the form it should', () => {
    const parsed = z.union([z.string(), z.int()]).safeParse(1.5, WORDING);
    expect(parsed.error && fieldErrorsOf(parsed.error)).to.deep.equal([
      { path: '', message: 'does not have the expected form' },
    ]);
    expect(faults({ inputs: { rows: Infinity } })).to.deep.equal(['must be a JSON value']);
  });
});
