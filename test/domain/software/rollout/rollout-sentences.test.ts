import { expect, it } from 'vitest';

import { stoppedIn } from '../../../../src/console/text/stopped.js';
import {
  NO_FIGURES,
  type Rollout,
  type StopWhen,
} from '../../../../src/domain/software/rollout/rollout.model.js';
import { decide } from '../../../../src/domain/software/rollout/rollout.rules.js';
import { DAY } from '../../../../src/platform/clock.js';

const NOW = Date.UTC(2026, 2, 2, 12);

const sold = (approved: number) => ({ terminals: 1, payments: 80, approved, failed: 0 });

/** A rollout for which each condition holds that it has. */
const rollout = (stopWhen: Partial<StopWhen>) =>
  ({
    state: 'running',
    startAt: null,
    wave: 0,
    waves: [{ size: 100, minProvenPercent: 0, minDuration: 0 }],
    stopWhen: {
      failedPercent: null,
      failedCount: null,
      silentPercent: null,
      approvalDropPercent: null,
      deadline: null,
      ...stopWhen,
    },
    payments: [{ from: NOW - DAY, countedAt: NOW, now: sold(40), before: sold(60), waiting: sold(60) }],
    waveStartedAt: new Date(NOW - DAY),
  }) as Partial<Rollout> as Rollout;

it.each<[Partial<StopWhen>, string]>([
  [{ failedPercent: 4 }, '9 de 100 terminais falharam na onda 1: pelo menos 4 %.'],
  [{ failedCount: 4 }, '9 terminais falharam: pelo menos 4.'],
  [{ silentPercent: 7 }, '8 de 100 terminais não enviaram nada na onda 1: pelo menos 7 %.'],
  [{ deadline: NOW }, 'O prazo terminou antes da última onda.'],
  [
    { approvalDropPercent: 10 },
    '50.0 % de 80 pagamentos são aprovados na onda 1, mas 75.0 % de 80 uma semana antes e 75.0 % de 80 em terminais que aguardam: pelo menos 10 pontos a menos.',
  ],
])('the console says in Portuguese why %j has stopped a rollout', (stopWhen, sentence) => {
  const decision = decide(rollout(stopWhen), [{ ...NO_FIGURES, failed: 9, silent: 8, waiting: 1 }], NOW);
  expect(decision.kind === 'stop' && stoppedIn('pt', decision.because)).toBe(sentence);
});
