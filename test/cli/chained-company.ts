import { createClient } from '../support/client.js';
import { commandLineWithUser, type CommandLine } from '../support/program.js';

export const ON = { LEDGER_CHAIN: '1' };

/** Writes groups until the server is killed or all are written; resolves to how many were acknowledged. */
export async function writeGroups(url: string, token: string, name: string, count: number): Promise<number> {
  const client = createClient(url, token);
  let written = 0;
  for (let n = 0; n < count; n += 1) {
    const reply = await client.post('groups', { name: `${name} ${n}` }).catch(() => null);
    if (reply?.status !== 201) break;
    written += 1;
  }
  return written;
}

/** A company with 20 entries in its chain, and the token of its administrator. */
export async function chainedCompany(): Promise<{ cli: CommandLine; token: string }> {
  const { cli, token } = await commandLineWithUser();
  const chained = cli.with(ON);
  const server = await chained.serve();
  await writeGroups(server.url, token, 'first', 20);
  await server.stop();
  return { cli: chained, token };
}

interface Verified {
  readonly ok: boolean;
  readonly companies: readonly {
    readonly company: string;
    readonly sound: number;
    readonly head: string | null;
    readonly damages: readonly { readonly sequence: number | null }[];
    readonly notes: readonly string[];
  }[];
}

export async function verify(
  cli: CommandLine,
  ...more: string[]
): Promise<{ code: number | null; acme: Verified['companies'][0] }> {
  const done = await cli.run(['audit', 'verify', '--company', 'Acme', '--json', ...more]);
  const { companies } = done.object() as unknown as Verified;
  const [acme] = companies;
  if (acme === undefined) throw new Error(done.stderr);
  return { code: done.code, acme };
}
