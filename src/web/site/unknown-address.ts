/** An address that nothing answers to: programs are told in the envelope, people on a page. */
import { isOfDataApi, refuseDataRequest } from '../../transport/data-requests.ts';
import { beginExchange, type Handler } from '../../transport/exchange.ts';
import { KEYED_HEADERS } from '../../transport/header-blocks.ts';
import { sendRefusal } from '../../transport/send.ts';
import { refuse } from '../../operations/refusals.ts';
import { siteDocument } from './layout.ts';
import { HTML_HEADERS } from './page-headers.ts';
import { refusalPage } from './refusal-page.ts';
import type { Site } from './site.ts';

/** Where programs are at home, whatever they say they accept. */
const PROGRAMS = /^\/(?:v1|api|mcp|webhooks|\.well-known)(?:[/?]|$)/;

export function createUnknownAddress(site: Site): Handler {
  const { refusal } = refuse('not_found', 'Nothing was ever published at this address, or it has moved.');
  const page = siteDocument(refusalPage(refusal), site);
  return (req, res) => {
    const isForReading = req.method === 'GET' || req.method === 'HEAD';
    const wantsPage = isForReading && /\btext\/html\b/.test(req.headers.accept ?? '');
    const isPage = wantsPage && !PROGRAMS.test(req.url ?? '');
    const headers = isPage ? HTML_HEADERS : KEYED_HEADERS;
    const exchange = beginExchange(site.context, req, res, 'unknownAddress', '*', headers);
    if (isOfDataApi(req.url)) return void refuseDataRequest(exchange, refusal);
    sendRefusal(exchange, refusal, isPage ? page : undefined);
  };
}
