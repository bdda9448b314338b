import type { LedgerEntryRowFragment } from '../gql/graphql';
import { texts, useTexts } from '../text';

interface Acting extends Pick<
  LedgerEntryRowFragment,
  'actorKind' | 'channel' | 'entityKind' | 'jobId' | 'tokenName'
> {
  readonly actor: { readonly name: string } | null;
}

const words = texts({
  api: ['over the API', 'pela API'],
  COMMAND_LINE: ['Command line of the server', 'Linha de comando do servidor'],
  byJob: ['by a job', 'por uma tarefa'],
  former: ['A former member', 'Um ex-membro'],
  interface: ['in the console', 'no console'],
  ofMember: [(name: string) => `of ${name}`, (name: string) => `de ${name}`],
  SERVER: ['The server by itself', 'O próprio servidor'],
  TERMINAL: ['The terminal itself', 'O próprio terminal'],
  token: [(name: string) => `Token ${name}`, (name: string) => `Token ${name}`],
  UNKNOWN: ['Somebody who could not sign in', 'Alguém que não conseguiu entrar'],
});

/** Says who made a change, and how. */
export function useActor(): (entry: Acting) => { readonly who: string; readonly how: string } {
  const text = useTexts(words);
  return ({ actor, actorKind, channel, entityKind, jobId, tokenName }) => {
    const byJob = jobId === null || entityKind === 'JOB' ? '' : text.byJob;
    const name = actor?.name ?? text.former;
    if (actorKind === 'TOKEN' && tokenName !== null)
      return { who: text.token(tokenName), how: `${text.ofMember(name)} ${byJob}` };
    if (actorKind === 'PERSON' || actorKind === 'TOKEN') {
      const where = channel === 'INTERFACE' ? text.interface : text.api;
      return { who: name, how: byJob === '' ? where : byJob };
    }
    return { who: text[actorKind], how: byJob };
  };
}
