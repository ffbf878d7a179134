/** Pages: the frame around what each has to say, and how they are answered. */
import { createHash } from 'node:crypto';
import { logFailure } from '../../logging/failures.ts';
import { beginExchange, type HttpContext, type Exchange, type Handler } from '../../transport/exchange.ts';
import { refusalFor } from '../../calling/failure.ts';
import { OWN_ORIGIN_HEADERS } from '../../transport/header-blocks.ts';
import { REFUSAL_STATUS } from '../../transport/refusal-status.ts';
import { sendMessage } from '../../transport/send.ts';
import { Html, html } from '../html.ts';

export interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: Html;
}

/** Sends the browser on with a GET, so that loading again repeats no form. */
export interface SeeOther {
  readonly seeOther: string;
}

type Answer = (exchange: Exchange, params: Readonly<Record<string, string>>) => Promise<Page | SeeOther>;

/** The handler of one page: request id, log line and failures as everywhere, in HTML. */
export function createPageHandler(context: HttpContext, name: string, path: string, answer: Answer): Handler {
  return (req, res, params) => {
    const exchange = beginExchange(context, req, res, name, path, HEADERS);
    answer(exchange, params)
      .catch((error: unknown) => failedPage(exchange, error))
      .then((answered) => send(exchange, answered))
      .catch((error: unknown) => {
        context.log.error({ err: error, requestId: exchange.requestId, operation: name }, 'page failed');
        res.destroy();
      });
  };
}

function send(exchange: Exchange, answered: Page | SeeOther): void {
  if ('seeOther' in answered) {
    exchange.headers.push('Location', answered.seeOther);
    sendMessage(exchange, 303, '');
  } else sendMessage(exchange, answered.status, frame(answered).text);
}

function failedPage(exchange: Exchange, error: unknown): Page {
  const { context, requestId, operation } = exchange;
  logFailure(context.log, error, { requestId, operation }, 'page failed');
  const { code, message } = refusalFor(error, requestId);
  return { status: REFUSAL_STATUS[code].status, title: 'This did not work', body: html`<p>${message}</p>` };
}

/** The site's colours and type. It stands in the page itself, so that a page with a signed address asks for nothing else. */
const STYLE = `
:root { color-scheme: light dark; --ink: #1d211f; --paper: #fbfaf7; --line: #d9d8d0; --quiet: #59615c; --accent: #0b6b57; --on-accent: #fff; --notice: #fff4d6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebe8; --paper: #131715; --line: #36403b; --quiet: #a2ada7; --accent: #6fd3b8; --on-accent: #0c1512; --notice: #3a2f10; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif; overflow-wrap: break-word; }
main { max-width: 34rem; margin: 0 auto; }
h1, .brand { font-family: 'Iowan Old Style', 'Palatino Linotype', Palatino, Georgia, serif; font-weight: 600; }
h1 { font-size: 1.9rem; line-height: 1.2; }
.brand { display: inline-block; margin-bottom: 1rem; font-size: 1.3rem; font-weight: 700; color: inherit; text-decoration: none; }
.notice { margin: 0 0 1.5rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--notice); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .5rem 1.5rem; margin: 1.5rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; }
button { min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--line); border-radius: .5rem; background: transparent; color: inherit; font: inherit; cursor: pointer; }
button.main { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

/** Whole, because the policy admits exactly this text and no formatter may touch it. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

const HEADERS = [
  'Content-Type',
  'text/html; charset=utf-8',
  ...OWN_ORIGIN_HEADERS,
  'Content-Security-Policy',
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  // Addresses of pages can carry signatures.
  'Referrer-Policy',
  'no-referrer',
  'Cache-Control',
  'no-store',
];

function frame({ title, body }: Page): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · Bourse</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <a class="brand" href="/">Bourse</a>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `;
}
