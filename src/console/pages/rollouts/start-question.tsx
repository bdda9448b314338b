import type { ReactNode } from 'react';

import type { MutationState, PayloadOf } from '../../api/mutation';
import type { RolloutCreateInput, RolloutCreateMutation } from '../../gql/graphql';
import { useFormat } from '../../text';
import { Dialog } from '../../ui/dialog';
import { Form } from '../../ui/form';
import { useText } from './words';

interface StartQuestionProps {
  /** The answer of the dry run. */
  readonly draft: Pick<PayloadOf<RolloutCreateMutation>, 'waves' | 'obstacles'>;
  readonly input: Pick<RolloutCreateInput, 'name' | 'startAt' | 'window'>;
  readonly create: Pick<MutationState<never, never>, 'errors' | 'failure' | 'isRunning'>;
  readonly onStart: () => void;
  readonly onClose: () => void;
}

/** Asks whether to start a rollout, with the numbers of terminals that the server has counted. */
export function StartQuestion(props: StartQuestionProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const { waves, obstacles } = props.draft;
  const { name, startAt, window } = props.input;
  const sum = (parts: readonly { readonly count: number }[] | null): number =>
    (parts ?? []).reduce((all, { count }) => all + count, 0);
  const takers = sum(waves);
  const counts = [takers, takers + sum(obstacles)].map((count) => format.number(count));
  const [count = '', all = ''] = counts;
  const question = (): string => {
    if (startAt != null) return text.startAtTime(format.time(startAt), count, all);
    if (window) return text.startInHours(`${window.from}:00–${window.to}:00`, count, all);
    return text.startNow(count, all);
  };
  return (
    <Dialog title={question()} onClose={props.onClose}>
      <Form
        onSubmit={props.onStart}
        onCancel={props.onClose}
        submit={text.start}
        {...props.create}
        shown={[]}
      >
        <p>
          <strong>{name}</strong>
        </p>
        <p>{text.firstWave(format.number(waves?.[0]?.count ?? 0))}</p>
        <p>{text.startHelp}</p>
      </Form>
    </Dialog>
  );
}
