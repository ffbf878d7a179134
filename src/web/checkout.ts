/**
 * The local test checkout behind a job's funding URL: it says what it is, and paying moves the job without moving
 * money. Whoever has the address may use it; its signature is the credential.
 */
import type { JobStatus } from '../../events/job-status.ts';
import type { JobDocument } from '../../projections/jobs.ts';
import { createAddress, type Address } from '../http/address.ts';
import { readBytes } from '../http/body.ts';
import type { Edge, Exchange } from '../http/exchange.ts';
import { cancelCheckout, payTestCheckout, showCheckout, type CheckoutCall } from '../operations/checkout.ts';
import type { Services } from '../operations/services.ts';
import { html, type Html } from './html.ts';
import { money } from './site/words.ts';
import { createPageHandler, type Page, type SeeOther } from './page.ts';

const MAX_FORM_BYTES = 4_096;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

type Act = (services: Services, job: JobDocument, call: CheckoutCall) => Promise<unknown>;

export function checkoutAddresses(edge: Edge): Address[] {
  const path = '/checkout/{jobId}';
  const show = createPageHandler(edge, 'showCheckout', path, async (exchange, { jobId = '' }) => {
    const token = new URL(exchange.req.url ?? '', 'http://localhost').searchParams.get('t') ?? '';
    if (!edge.services.signer.verify('checkout', jobId, token)) return wrongSignature();
    const job = await showCheckout(edge.services, jobId);
    return job ? checkoutPage(job, token, exchange.at) : noSuchJob();
  });
  return [
    createAddress(edge, path, { GET: show }),
    formAddress(edge, 'payCheckout', `${path}/pay`, payTestCheckout),
    formAddress(edge, 'cancelCheckout', `${path}/cancel`, cancelCheckout),
  ];
}

/** A form that does one thing to the job and shows what became of it; what was too late shows the state it met. */
function formAddress(edge: Edge, name: string, path: string, act: Act): Address {
  const post = createPageHandler(edge, name, path, async (exchange, { jobId = '' }) => {
    const token = await formToken(exchange);
    if (typeof token !== 'string') return token;
    if (!edge.services.signer.verify('checkout', jobId, token)) return wrongSignature();
    const job = await showCheckout(edge.services, jobId);
    if (!job) return noSuchJob();
    const { at, requestId } = exchange;
    if (isOpen(job, at)) await act(edge.services, job, { at, requestId });
    return seeCheckout(jobId, token);
  });
  return createAddress(edge, path, { POST: post });
}

async function formToken({ req }: Exchange): Promise<string | Page> {
  if (!FORM_TYPE.test(req.headers['content-type'] ?? '')) {
    return { status: 415, title: 'Not a form', body: html`<p>This address takes a form.</p>` };
  }
  const bytes = await readBytes(req, MAX_FORM_BYTES);
  if (!Buffer.isBuffer(bytes))
    return { status: 413, title: 'Too large', body: html`<p>${bytes.message}</p>` };
  return new URLSearchParams(bytes.toString('utf8')).get('t') ?? '';
}

function seeCheckout(jobId: string, token: string): SeeOther {
  return { seeOther: `/checkout/${jobId}?t=${token}` };
}

function wrongSignature(): Page {
  const body = html`<p>The address is incomplete or was changed. Open it again as you were given it.</p>`;
  return { status: 403, title: 'This checkout cannot be opened', body };
}

function noSuchJob(): Page {
  return { status: 404, title: 'There is no such job', body: html`<p>Nothing is to be paid here.</p>` };
}

/** Whether it can still be paid or cancelled. */
function isOpen({ status, fundingExpiresAt }: JobDocument, at: string): boolean {
  return status === 'draft' && at < fundingExpiresAt;
}

function checkoutPage(job: JobDocument, token: string, at: string): Page {
  const status = job.status === 'draft' && !isOpen(job, at) ? 'expired' : job.status;
  const { title, text } = WORDS[status];
  return {
    status: 200,
    title,
    body: html`<p class="notice">
        <strong>This is a test checkout.</strong> No money moves, whatever you choose here.
      </p>
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
      ${status === 'draft' ? actions(job, token) : null}`,
  };
}

function actions({ id, amountCents }: JobDocument, token: string): Html {
  return html`<div class="actions">
    <form method="post" action="/checkout/${id}/pay">
      <input type="hidden" name="t" value="${token}" /><button class="main">
        Pay ${money(amountCents)} (test)
      </button>
    </form>
    <form method="post" action="/checkout/${id}/cancel">
      <input type="hidden" name="t" value="${token}" /><button>Cancel the job</button>
    </form>
  </div>`;
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
