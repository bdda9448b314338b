import type { ReactNode } from 'react';

import { graphql, mutations, useSubscription } from '../../api';
import type { RolloutRecordFragment, RolloutRowFragment } from '../../gql/graphql';
import { creating, DialogButton, type DialogButtonProps } from '../../record/dialog-button';
import { Facts, SmallTable, State } from '../../table/shown';
import { useFormat, useLabel } from '../../text';
import { Section } from '../../ui/facts';
import { useText } from './words';

/** Colours of the states of versions on terminals, from the most that can be known to the least. */
const KNOWN = {
  proven: 'good',
  installed: 'accent',
  downloaded: 'pale',
  granted: 'warning',
  failed: 'bad',
  waiting: 'line',
  excluded: 'line',
} as const;

type Known = keyof typeof KNOWN;
type Counts = Readonly<Record<Known, number>>;

export const ALL_KNOWN = Object.keys(KNOWN) as readonly Known[];

/** Terminals of waves by what is known of them, in one bar. */
function CountsBar({ waves }: { readonly waves: readonly Counts[] }): ReactNode {
  return (
    <div className="counts-bar" aria-hidden="true">
      {ALL_KNOWN.map((known) => {
        const count = waves.reduce((sum, wave) => sum + wave[known], 0);
        return <div key={known} className={`chart-${KNOWN[known]}`} style={{ flexGrow: count }} />;
      })}
    </div>
  );
}

/** Terminals that were drawn into waves. */
export const takersOf = ({ waves }: { readonly waves: readonly { readonly size: number }[] }): number =>
  waves.reduce((sum, { size }) => sum + size, 0);

export const HAS_ENDED = ['FINISHED', 'UNDONE'];

const CHANGED = graphql(`
  subscription RolloutChanged($id: ID!) { rolloutChanged(id: $id) { sequence } }
`);

interface ProgressProps extends Pick<RolloutRowFragment, 'id' | 'state'> {
  readonly waves: readonly Omit<RolloutRowFragment['waves'][number], 'size'>[];
}

/** The wave that has begun last, and the terminals of all waves; followed until the rollout ends. */
export function Progress(props: ProgressProps): ReactNode {
  const { id, state, waves } = props;
  const text = useText();
  useSubscription(CHANGED, HAS_ENDED.includes(state) ? null : { id }, 'ROLLOUT');
  const begun = waves.filter((wave) => wave.state !== 'WAITING').length;
  return (
    <div className="section-header">
      <CountsBar waves={waves} />
      <span>{text.waveOf(begun, waves.length)}</span>
    </div>
  );
}

/** Each wave as it fills, and what has the next one begin or the rollout stop. */
export function Waves({ waves, stopWhen, deadline, window, ...rollout }: RolloutRecordFragment): ReactNode {
  const text = useText();
  const label = useLabel();
  const format = useFormat();
  const leftOut = rollout.total - takersOf({ waves });
  const conditions = { ...stopWhen, deadline: deadline && format.time(deadline) };
  const facts = Object.entries(conditions).flatMap(([id, value]) => (value === null ? [] : [{ id, value }]));
  const passing = (id: string, wave: number): DialogButtonProps =>
    creating({
      title: `${text.passWave}: ${text.waveOf(wave, waves.length)}`,
      help: text.passWaveHelp,
      fields: ['reason'],
      document: mutations.rolloutPassWave,
      args: { id, wave },
      root: null,
      submit: text.passWave,
    });
  const hours = window && [{ id: 'hasHours', value: `${window.from}:00–${window.to}:00 ${window.zone}` }];
  return (
    <>
      {waves.map((wave, index) => (
        <Section
          key={index}
          title={`${text.waveOf(index + 1, waves.length)}: ${text.terminalCount(format.number(wave.size))}`}
          actions={
            <>
              {wave.state === 'BEGUN' && rollout.state === 'RUNNING' && (
                <DialogButton {...passing(rollout.id, index + 1)} label={text.passWave} icon="steps" />
              )}
              {rollout.state !== 'UNDONE' && <State of={wave.state} />}
            </>
          }
        >
          <CountsBar waves={[wave]} />
          <ul className="chart-legend">
            {ALL_KNOWN.filter((known) => wave[known] > 0).map((known) => (
              <li key={known} className={`chart-${KNOWN[known]}`}>
                <span>{`${label(known.toUpperCase())} ${format.number(wave[known])}`}</span>
              </li>
            ))}
          </ul>
          {wave.payments && <Payments {...wave.payments} />}
          {wave.state !== 'PASSED' && rollout.state !== 'UNDONE' && (
            <p className="faint">
              {(index === waves.length - 1 ? text.finishesAt : text.goesOnAt)(
                wave.minProvenPercent,
                wave.minDuration === '0s' ? '' : format.duration(wave.minDuration),
              )}
            </p>
          )}
        </Section>
      ))}
      {leftOut > 0 && <p className="faint">{text.leftOut(format.number(leftOut))}</p>}
      {rollout.figuresAt !== null && (
        <p className="faint">{`${text.figuresAt} ${format.time(rollout.figuresAt)}`}</p>
      )}
      {facts.length > 0 && (
        <Section title={text.conditions}>
          <Facts facts={facts} />
        </Section>
      )}
      {hours && <Facts facts={hours} />}
    </>
  );
}

type PaymentsProps = NonNullable<RolloutRecordFragment['waves'][number]['payments']>;

/** Payments of a wave, beside those that they are compared with. */
function Payments(payments: PaymentsProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const rows = (['now', 'before', 'waiting'] as const).flatMap((id) => {
    const figures = payments[id];
    return figures ? [{ id, ...figures }] : [];
  });
  return (
    <SmallTable
      caption={text.payments}
      rows={rows}
      columns={[
        { id: 'name', title: '', render: ({ id }) => text[id] },
        {
          id: 'approvedPercent',
          align: 'end',
          render: ({ approvedPercent: percent }) => percent !== null && format.share(percent / 100),
        },
        {
          id: 'perTerminalDay',
          align: 'end',
          render: ({ perTerminalDay: rate }) => rate !== null && format.number(Math.round(rate * 10) / 10),
        },
        { id: 'payments', align: 'end' },
      ]}
    />
  );
}
