import type { ReactNode } from 'react';

import { graphql, useSubscription } from '../../api';
import type { RolloutRecordFragment, RolloutRowFragment } from '../../gql/graphql';
import { State } from '../../table/shown';
import { useFormat, useLabel } from '../../text';
import { Section } from '../../ui/facts';
import { useText } from './words';

/** Colours of the states of versions on terminals, from the most that can be known to the least. */
const KNOWN = {
  proven: 'good',
  installed: 'accent',
  downloaded: 'accent chart-pale',
  granted: 'faint',
  failed: 'bad',
  waiting: 'line',
  excluded: 'warning',
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

const CHANGED = graphql(`
  subscription RolloutChanged($id: ID!) { rolloutChanged(id: $id) { sequence } }
`);

/** The wave that has begun last, and the terminals of all waves; followed until the rollout ends. */
export function Progress({ id, state, waves }: RolloutRowFragment): ReactNode {
  const text = useText();
  const hasEnded = state === 'FINISHED' || state === 'UNDONE';
  useSubscription(CHANGED, hasEnded ? null : { id }, 'ROLLOUT');
  const begun = waves.filter((wave) => wave.state !== 'WAITING').length;
  return (
    <div className="counts">
      <CountsBar waves={waves} />
      <span>{text.waveOf(begun, waves.length)}</span>
    </div>
  );
}

/** Each wave as it fills, and what has the next one begin or the rollout stop. */
export function Waves({ waves, stopWhen, deadline, window }: RolloutRecordFragment): ReactNode {
  const text = useText();
  const format = useFormat();
  const { failedPercent, failedCount, silentPercent } = stopWhen;
  const conditions = [
    failedPercent !== null && text.failedPercentOf(failedPercent),
    failedCount !== null && text.failedCountOf(failedCount),
    silentPercent !== null && text.silentPercentOf(silentPercent),
    deadline !== null && text.deadlineOf(format.time(deadline)),
  ].filter((condition) => condition !== false);
  return (
    <>
      {waves.map((wave, index) => (
        <Section
          key={index}
          title={`${text.waveOf(index + 1, waves.length)}: ${text.terminalCount(format.number(wave.size))}`}
          actions={<State of={wave.state} />}
        >
          <CountsBar waves={[wave]} />
          <Legend {...wave} />
          {index < waves.length - 1 && (
            <p className="faint">{text.nextWhen(wave.minProvenPercent, format.duration(wave.minDuration))}</p>
          )}
        </Section>
      ))}
      {conditions.length > 0 && <p className="faint">{`${text.stopsAt} ${conditions.join('; ')}.`}</p>}
      {window && <p className="faint">{text.hoursOf(window.from, window.to, window.zone)}</p>}
    </>
  );
}

/** Numbers of terminals in words, with the colours of the bar. */
function Legend(wave: Counts): ReactNode {
  const label = useLabel();
  const format = useFormat();
  return (
    <ul className="chart-legend">
      {ALL_KNOWN.filter((known) => wave[known] > 0).map((known) => (
        <li key={known} className={`chart-${KNOWN[known]}`}>
          <span>{`${label(known.toUpperCase())} ${format.number(wave[known])}`}</span>
        </li>
      ))}
    </ul>
  );
}
