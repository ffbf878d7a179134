import { expect } from 'chai';
import type { ImportedRow } from '../../events/data-set-events.ts';
import { modelDocument, readModel } from '../../projections/model-document.ts';
import { models } from '../../projections/models.ts';
import { perMillion, pricePico } from '../../projections/token-price.ts';
import { DAY_1, row } from '../support/sample-data-set.ts';

const ID = 'acme/Lens-2:free';
const fields: ImportedRow['fields'] = {
  id: ID,
  canonical_slug: 'acme/lens-2',
  hugging_face_id: null,
  name: 'Acme: Lens 2',
  created: 1_753_228_800,
  context_length: 131_072,
  architecture: {
    modality: 'text+image->text',
    input_modalities: ['text', 'image'],
    output_modalities: ['text'],
    tokenizer: 'Other',
    instruct_type: null,
  },
  pricing: { prompt: '0.0000003', completion: '0.000005', request: '0.01', input_cache_read: '-1' },
  top_provider: { context_length: 65_536, max_completion_tokens: null, is_moderated: false },
  supported_parameters: ['max_tokens', 'tools'],
  knowledge_cutoff: '2025-04',
  expiration_date: null,
};
const added = {
  id: ID,
  dataset: 'models',
  status: 'listed',
  firstSeenAt: DAY_1,
  updatedAt: DAY_1,
  position: '1',
  attribution: null,
} as const;
const read = (change: ImportedRow['fields'] = {}) => readModel(row(ID, { ...fields, ...change }), added);

describe('A model', () => {
  it('is served whole, with prices as they were written and for a million tokens', () => {
    const { document, odd } = read();
    expect(odd).to.deep.equal([]);
    expect(modelDocument.parse(document)).to.deep.equal(document);
    expect(document).to.deep.include({
      id: ID,
      provider: 'acme',
      createdAt: '2025-07-23T00:00:00.000Z',
      contextLength: 131_072,
      pricing: { prompt: '0.0000003', completion: '0.000005', request: '0.01', inputCacheRead: '-1' },
      perMillion: { prompt: '0.3', completion: '5', inputCacheRead: null },
      dynamicPricing: true,
      topProvider: { contextLength: 65_536, maxCompletionTokens: null, isModerated: false },
      huggingFaceId: null,
    });
  });

  it('is found by what it takes and gives, and sorted by numbers', () => {
    expect(models.index(read().document)).to.deep.include({
      provider: 'acme',
      modality: ['text', 'image'],
      inputModality: ['text', 'image'],
      outputModality: ['text'],
      promptPricePico: 300_000,
      contextLength: 131_072,
    });
    const dynamic = read({ pricing: { prompt: '-1' } }).document;
    expect(models.index(dynamic)).to.deep.include({ promptPricePico: null });
  });

  it('reads modalities of the short form where there is no other', () => {
    const { document, odd } = read({ architecture: { modality: 'text+audio->text' } });
    expect(document.architecture).to.deep.include({
      inputModalities: ['text', 'audio'],
      outputModalities: ['text'],
    });
    expect(odd).to.deep.equal([]);
  });

  it('has no end where the upstream writes one that never comes', () => {
    expect(read({ expiration_date: '2098-12-31' }).document.expiresAt).to.equal(null);
    expect(read({ expiration_date: '2027-01-01' }).document.expiresAt).to.equal('2027-01-01T00:00:00.000Z');
  });

  it('reads a time without a zone as UTC, wherever the process runs, and no other writing of a date', () => {
    const before = process.env['TZ'];
    process.env['TZ'] = 'Asia/Tokyo';
    try {
      const at = '2027-01-01T10:00:00.000Z';
      for (const written of ['2027-01-01T10:00:00', '2027-01-01T10:00', '2027-01-01T19:00:00+09:00'])
        expect(read({ expiration_date: written }).document.expiresAt).to.equal(at);
      const { document, odd } = read({ expiration_date: 'Jan 1, 2027' });
      expect([document.expiresAt, odd]).to.deep.equal([null, ['expiration_date is no date']]);
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it('is kept as far as it can be read, and what could not is told', () => {
    const { document, odd } = read({
      architecture: null,
      pricing: { prompt: null, completion: 'free', image: 0.5 },
      created: 'yesterday',
      context_length: -4,
      supported_parameters: ['tools', 7],
      expiration_date: 'never',
      top_provider: 'none',
      name: 5,
    });
    expect(modelDocument.parse(document)).to.deep.equal(document);
    expect(document).to.deep.include({
      name: ID,
      createdAt: null,
      contextLength: null,
      pricing: { prompt: null, completion: 'free', image: '0.5' },
      perMillion: { prompt: null, completion: null },
      dynamicPricing: false,
      supportedParameters: ['tools'],
      expiresAt: null,
    });
    expect(odd).to.have.members([
      'architecture is missing',
      'pricing.prompt is no price',
      'pricing.completion is no price',
      'created is no time',
      'context_length is no count',
      'supported_parameters holds what is no text',
      'expiration_date is no date',
      'top_provider is no object',
      'name is no text',
    ]);
  });
});

describe('The price of a token', () => {
  it('is shifted as text, digit for digit', () => {
    const shifts: Record<string, string | null> = {
      '0.0000003': '0.3',
      '0.000001': '1',
      '0.00000015': '0.15',
      '0.0000000123456789': '0.0123456789',
      // Each of these is another number once a float has had it: 0.049999999999999996, 0.5700000000000001.
      '0.00000005': '0.05',
      '0.0000001': '0.1',
      '0.00000057': '0.57',
      '12345678901.0000000000000000001': '12345678901000000.0000000000001',
      '0': '0',
      '0.0': '0',
      '1': '1000000',
      '3e-7': '0.3',
      '1.5E-6': '1.5',
      '-1': null,
      '-0.5': null,
      '': null,
      free: null,
      '.5': null,
    };
    for (const [price, expected] of Object.entries(shifts))
      expect(perMillion(price), price).to.equal(expected);
  });

  it('is compared in whole millionths of a millionth', () => {
    expect(pricePico('0.000001')).to.equal(1_000_000);
    expect(pricePico('0.0000003')).to.equal(300_000);
    expect(pricePico('0.00000003'), '29999 by floats').to.equal(30_000);
    expect(pricePico('0.00000000000015')).to.equal(0);
    expect(pricePico('99999999')).to.equal(null);
  });
});
