/**
 * The local test checkout behind a job's funding URL: it says what it is, and paying moves the job without moving
 * money. Whoever has the address may use it; its tokens are the credential: `t` pays, `c` cancels.
 */
import type { JobStatus } from '../../../events/job-status.ts';
import type { JobDocument } from '../../../projections/jobs.ts';
import { createEndpoint, type Endpoint } from '../../transport/endpoint.ts';
import { HttpCaller } from '../../transport/http-caller.ts';
import { readBytes } from '../../transport/body.ts';
import { REFUSAL_STATUS } from '../../transport/refusal-status.ts';
import { moveToNow } from '../../calling/admission.ts';
import type { HttpContext, Exchange } from '../../transport/exchange.ts';
import {
  cancelCheckout,
  payTestCheckout,
  showCheckout,
  type CheckoutCall,
} from '../../operations/jobs/checkout.ts';
import {
  actorOf,
  isVoid,
  type ActPurpose,
  type OpenedLink,
  openLink,
} from '../../operations/jobs/act-link.ts';
import type { Refusal } from '../../operations/refusals.ts';
import type { Services } from '../../operations/services.ts';
import { html, type Html } from '../html.ts';
import { money } from '../site/words.ts';
import { createPageHandler, type Page, type SeeOther } from './page.ts';

const MAX_FORM_BYTES = 4_096;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

type Act = (services: Services, job: JobDocument, call: CheckoutCall) => Promise<unknown>;

/** As they stand in the address and in the forms; empty where there is none. */
interface Tokens {
  readonly t: string;
  readonly c: string;
}

/** What whoever holds the link can do here. */
interface Possible {
  readonly pay: boolean;
  readonly cancel: boolean;
}

const TEST_NOTICE = html`<strong>This is a test checkout.</strong> No money moves, whatever you choose here.`;
const NO_PAYMENTS = 'This market takes no payments.';

interface Opened {
  readonly job: JobDocument;
  readonly link: OpenedLink;
}

export function checkoutEndpoints(context: HttpContext): Endpoint[] {
  const path = '/checkout/{jobId}';
  const show = createPageHandler(context, 'showCheckout', path, async (exchange, { jobId = '' }) => {
    const tokens = tokensOf(new URL(exchange.req.url ?? '', 'http://localhost').searchParams);
    const opened = await open(exchange, 'checkout-pay', jobId, tokens.t);
    if (!('job' in opened)) return opened;
    const { services } = context;
    const cancel = openLink(services.signer, 'checkout-cancel', jobId, cancelToken(tokens));
    const cancels = cancel !== null && !(await isVoid(services, opened.job, cancel, exchange.at));
    const canPay = services.checkout === 'test';
    return checkoutPage(opened, tokens, { pay: canPay, cancel: cancels }, exchange.at);
  });
  return [
    createEndpoint(context, path, { GET: show }),
    formEndpoint(context, 'payCheckout', `${path}/pay`, 'checkout-pay', payTestCheckout),
    formEndpoint(context, 'cancelCheckout', `${path}/cancel`, 'checkout-cancel', cancelCheckout),
  ];
}

/** A form that does one thing to the job and shows what became of it; what was too late shows the state it met. */
function formEndpoint(
  context: HttpContext,
  name: string,
  path: string,
  purpose: ActPurpose,
  act: Act,
): Endpoint {
  const post = createPageHandler(context, name, path, async (exchange, { jobId = '' }) => {
    if (purpose === 'checkout-pay' && context.services.checkout === 'none') return noPayments();
    const refusal = await new HttpCaller(exchange).countRead();
    if (refusal) return tooOften(exchange, refusal);
    const tokens = await formTokens(exchange);
    if (!('t' in tokens)) return tokens;
    const token = purpose === 'checkout-pay' ? tokens.t : cancelToken(tokens);
    const opened = await open(exchange, purpose, jobId, token);
    if (!('job' in opened)) return opened;
    const { at, requestId } = exchange;
    const actor = actorOf('checkout-link', opened.link);
    if (isOpen(opened, at)) await act(context.services, opened.job, { at, requestId, actor });
    return seeCheckout(jobId, tokens);
  });
  return createEndpoint(context, path, { POST: post });
}

/** The job that the token opens for this purpose, or the page that says why not. */
async function open(
  exchange: Exchange,
  purpose: ActPurpose,
  jobId: string,
  token: string,
): Promise<Opened | Page> {
  const {
    context: { services },
    at,
  } = exchange;
  const link = openLink(services.signer, purpose, jobId, token);
  if (link === null) return wrongSignature(exchange);
  const job = await showCheckout(services, jobId);
  if (!job) return noSuchJob();
  return (await isVoid(services, job, link, at)) ? cannotBeOpened() : { job, link };
}

function tokensOf(fields: URLSearchParams): Tokens {
  return { t: fields.get('t') ?? '', c: fields.get('c') ?? '' };
}

/** The links of earlier releases pay and cancel by one token. */
function cancelToken({ t, c }: Tokens): string {
  return c === '' ? t : c;
}

async function formTokens(exchange: Exchange): Promise<Tokens | Page> {
  const { req, context } = exchange;
  if (!FORM_TYPE.test(req.headers['content-type'] ?? '')) {
    return { status: 415, title: 'Not a form', body: html`<p>This address takes a form.</p>` };
  }
  const bytes = await readBytes(req, MAX_FORM_BYTES);
  moveToNow(exchange, context.now);
  if (!Buffer.isBuffer(bytes))
    return {
      status: REFUSAL_STATUS[bytes.code].status,
      title: 'This did not work',
      body: html`<p>${bytes.message}</p>`,
    };
  return tokensOf(new URLSearchParams(bytes.toString('utf8')));
}

function seeCheckout(jobId: string, { t, c }: Tokens): SeeOther {
  return { seeOther: `/checkout/${jobId}?${new URLSearchParams(c === '' ? { t } : { t, c }).toString()}` };
}

function cannotBeOpened(): Page {
  const body = html`<p>
    Whoever made this address has withdrawn it, or may no longer do what it was for. Ask for a new one.
  </p>`;
  return { status: 403, title: 'This checkout cannot be opened', body };
}

async function wrongSignature(exchange: Exchange): Promise<Page> {
  const message = 'The address is incomplete or was changed. Open it again as you were given it.';
  const { refusal } = await new HttpCaller(exchange).countFailure({ code: 'forbidden', message });
  if (refusal.code === 'rate_limited') return tooOften(exchange, refusal);
  return { status: 403, title: 'This checkout cannot be opened', body: html`<p>${message}</p>` };
}

function tooOften({ headers }: Exchange, { message, retryAfterSeconds = 1 }: Refusal): Page {
  headers.push('Retry-After', String(retryAfterSeconds));
  return { status: 429, title: 'Not so fast', body: html`<p>${message}</p>` };
}

function noPayments(): Page {
  return { status: 403, title: 'Nothing can be paid here', body: html`<p>${NO_PAYMENTS}</p>` };
}

function noSuchJob(): Page {
  return { status: 404, title: 'There is no such job', body: html`<p>Nothing is to be paid here.</p>` };
}

/** Whether it can still be paid or cancelled by this link. */
function isOpen({ job: { status, fundingExpiresAt }, link: { endsAtMs } }: Opened, at: string): boolean {
  return status === 'draft' && at < fundingExpiresAt && (endsAtMs === null || Date.parse(at) < endsAtMs);
}

function checkoutPage(opened: Opened, tokens: Tokens, can: Possible, at: string): Page {
  const { job } = opened;
  const status = job.status === 'draft' && !isOpen(opened, at) ? 'expired' : job.status;
  const { title, text } = WORDS[status];
  return {
    status: 200,
    title,
    body: html`<p class="notice">${can.pay ? TEST_NOTICE : NO_PAYMENTS}</p>
      <p role="status">${text}</p>
      <dl>
        <dt>Agent</dt>
        <dd>${job.agent.name}</dd>
        <dt>Amount</dt>
        <dd>${money(job.amountCents)}</dd>
        <dt>Job</dt>
        <dd>${job.id}</dd>
        ${
          status === 'draft'
            ? html`<dt>Pay before</dt>
                <dd><time datetime="${job.fundingExpiresAt}">${moment(job.fundingExpiresAt)}</time></dd>`
            : null
        }
      </dl>
      ${status === 'draft' ? actions(job, tokens, can) : null}`,
  };
}

function actions({ id, amountCents }: JobDocument, { t, c }: Tokens, can: Possible): Html {
  const hidden = html`<input type="hidden" name="t" value="${t}" /><input
      type="hidden"
      name="c"
      value="${c}"
    />`;
  const cancel = html`<form method="post" action="/checkout/${id}/cancel">
    ${hidden}<button>Cancel the job</button>
  </form>`;
  const pay = html`<form method="post" action="/checkout/${id}/pay">
    ${hidden}<button class="main">Pay ${money(amountCents)} (test)</button>
  </form>`;
  return html`<div class="actions">${can.pay ? pay : null} ${can.cancel ? cancel : null}</div>`;
}

const PAID = { title: 'This job is paid', text: 'The test payment is recorded. You can close this page.' };

const WORDS: Readonly<Record<JobStatus, { readonly title: string; readonly text: string }>> = {
  draft: { title: 'Pay for a trial run', text: 'The job is a draft and waits for its payment.' },
  funded: PAID,
  running: PAID,
  completed: PAID,
  failed: PAID,
  cancelled: {
    title: 'This job was cancelled',
    text: 'Nothing is to be paid. What it counted against the mandate is given back.',
  },
  expired: {
    title: 'This draft has expired',
    text: 'It was not paid in time and can no longer be. Create a new trial run to try again.',
  },
  refunded: { title: 'This job was refunded', text: 'The payment was given back and the job has ended.' },
};

/** `2026-11-28 09:30 UTC` */
function moment(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}
