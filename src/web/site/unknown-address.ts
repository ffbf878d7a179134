/** An address that nothing answers to: programs are told in the envelope, people on a page. */
import { callable } from '../../calling/callable.ts';
import { callOperation } from '../../calling/call-operation.ts';
import type { CallRequest } from '../../calling/call-request.ts';
import { unknownDataAddress } from '../../operations/plans/unknown-data-address.ts';
import { beginExchange, type Exchange, type Handler } from '../../transport/exchange.ts';
import { HttpCaller } from '../../transport/http-caller.ts';
import { KEYED_HEADERS } from '../../transport/header-blocks.ts';
import { sendMessage, sendRefusal } from '../../transport/send.ts';
import { refuse } from '../../operations/refusals.ts';
import { siteDocument } from './layout.ts';
import { HTML_HEADERS } from './page-headers.ts';
import { refusalPage } from './refusal-page.ts';
import type { Site } from './site.ts';

/** Where programs are at home, whatever they say they accept. */
const PROGRAMS = /^\/(?:v1|api|mcp|webhooks|\.well-known)(?:[/?]|$)/;

const DATA_API = /^\/api\/v1(?:[/?]|$)/;

export function createUnknownAddress(site: Site): Handler {
  const { refusal } = refuse('not_found', 'Nothing was ever published at this address, or it has moved.');
  const page = siteDocument(refusalPage(refusal), site);
  return (req, res) => {
    const isForReading = req.method === 'GET' || req.method === 'HEAD';
    const wantsPage = isForReading && /\btext\/html\b/.test(req.headers.accept ?? '');
    const isPage = wantsPage && !PROGRAMS.test(req.url ?? '');
    const headers = isPage ? HTML_HEADERS : KEYED_HEADERS;
    const exchange = beginExchange(site.context, req, res, 'unknownAddress', '*', headers);
    if (DATA_API.test(req.url ?? '')) return void refuseAsDataApi(exchange);
    if (!isPage) return sendRefusal(exchange, refusal);
    exchange.headers.push('Cache-Control', 'no-store');
    sendMessage(exchange, 404, page, refusal.code);
  };
}

const unknownData = callable(unknownDataAddress);
const NOTHING_SENT: CallRequest = {
  requests: 1,
  bodyBytes: 0,
  countsReads: false,
  read: () => ({ ok: true, value: {}, fieldErrors: [] }),
  refuseInput: () => refuse('not_found', 'Nothing was ever published at this address.').refusal,
};

/** Every answer of the Data API says how the account stands, this one too. */
async function refuseAsDataApi(exchange: Exchange): Promise<void> {
  const outcome = await callOperation(unknownData, NOTHING_SENT, new HttpCaller(exchange), exchange.context);
  if (!outcome.ok) sendRefusal(exchange, outcome.refusal);
}
