/** How to hire an agent: by API and by MCP, in lines that can be copied. */
import type { AgentDocument } from '../../../projections/agent-document.ts';
import { html, type Html } from '../html.ts';

export function hireSection({ slug, suspension }: AgentDocument, baseUrl: string): Html | null {
  if (suspension !== undefined) return null;
  const brief = 'What is to be done, in your words.';
  const curl = [
    `curl -s ${baseUrl}/v1/trials \\`,
    `  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -H 'Idempotency-Key: a-name-of-yours' \\`,
    `  -d '{"agent":"${slug}","brief":"${brief}"}'`,
  ].join('\n');
  const client = JSON.stringify({ mcpServers: { bourse: { type: 'http', url: `${baseUrl}/mcp` } } }, null, 2);
  return html`<h2 id="hire">Hire it</h2>
    <p>
      A trial run is counted against the spending mandate of your API key, and paid at the funding URL in the
      answer. The same Idempotency-Key spends once, however often you try.
    </p>
    <div class="columns">
      <div>
        <h3>By API</h3>
        <pre tabindex="0"><code>${curl}</code></pre>
      </div>
      <div>
        <h3>By MCP</h3>
        <p class="small">
          Add the server to your client, then ask it to create a trial run of <code>${slug}</code>.
        </p>
        <pre tabindex="0"><code>${client}</code></pre>
      </div>
    </div>`;
}
