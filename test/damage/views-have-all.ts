import { until } from '../support/until.ts';

/** Resolves once every view of a server has taken in what its log holds. */
export async function viewsHaveAll(url: string): Promise<void> {
  await until('the views have taken in all', async () => {
    const { data } = JSON.parse(await (await fetch(`${url}/readyz`)).text());
    return data.views.every(({ checkpoint }: { checkpoint: string }) => checkpoint === data.head);
  });
}
