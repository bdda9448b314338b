import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { mutations, useDryRun, useMutation } from '../../api';
import type { PayloadOf } from '../../api/mutation';
import type { UserError } from '../../api/rules';
import { useSession } from '../../app/session';
import type { RolloutCreateMutation } from '../../gql/graphql';
import { ActionButton } from '../../record/dialog-button';
import { Fields } from '../../record/fields';
import { pathOf } from '../../record/form-field';
import type { Named } from '../../record/link';
import { SmallTable } from '../../table/shown';
import { useLabel, useLocale, WordsContext } from '../../text';
import { Button, IconButton } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Section } from '../../ui/facts';
import { Form, useDraft, type Draft } from '../../ui/form';
import { ADDED_WAVE, argumentsOf, rolloutForm, wavePart, type Planned } from './rollout-form';
import { useText } from './words';

interface RolloutDialogProps {
  /** The version to begin with. */
  readonly version?: Named;
  readonly onClose: () => void;
}

/** Plans a rollout. Before it is created, it says who gets the versions in which wave, and who cannot. */
export default function RolloutDialog({ version, onClose }: RolloutDialogProps): ReactNode {
  const text = useText();
  const navigate = useNavigate();
  const { timeZone } = useLocale();
  const { company } = useSession().viewer;
  const form = rolloutForm(company?.timeZone ?? timeZone, version);
  const { parts } = form;
  const { values, set, clear } = useDraft(`rollout:${version?.id ?? ''}`, form.empty);
  const given = argumentsOf(form, values, timeZone);
  const [attached, setAttached] = useState(0);
  const { payload, ...probe } = useDryRun(
    mutations.rolloutCreate,
    given && { ...given, dryRun: true },
    attached,
  );
  const create = useMutation(mutations.rolloutCreate);
  const errors = [...probe.errors, ...create.errors];
  const isWrong = errors.some(({ path }) => /waves|stopWhen|window|startAt/.test(path.join('.')));
  const [isOpen, setOpen] = useState(false);
  const submit = async (): Promise<void> => {
    if (!given || !payload) return;
    const { rollout } = (await create.run({ ...given, dryRun: false, expectCount: payload.count })) ?? {};
    if (!rollout) return;
    clear();
    onClose();
    void navigate({ to: '/rollouts', search: { open: rollout.id } });
  };
  const shared = { values, set, errors };
  const shownParts = [
    ...Object.values(parts),
    ...values.waves.map((_wave, index) => wavePart(index, values.waves.length)),
  ];
  return (
    <WordsContext value={{ ...text }}>
      <Dialog title={text.newRollout} size="large" onClose={onClose}>
        <Form
          onSubmit={() => void submit()}
          onCancel={onClose}
          submit={text.create}
          isRunning={create.isRunning}
          isDisabled={!payload}
          failure={create.failure ?? probe.failure}
          errors={errors}
          shown={shownParts.flatMap(({ root, fields }) => fields.map((field) => pathOf(field, root)))}
        >
          <Fields {...parts.main} {...shared} />
          <Fields {...parts.target} {...shared} />
          <details open={isOpen || isWrong} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary>{text.wavesAndConditions}</summary>
            <div className="stack">
              <WaveFields {...shared} />
              <fieldset className="filter-panel">
                <legend>{text.stopsAt}</legend>
                <Fields {...parts.stopWhen} {...shared} />
              </fieldset>
              <fieldset className="filter-panel">
                <legend>{text.hours}</legend>
                <Fields {...parts.start} {...shared} />
                <Fields {...parts.window} {...shared} />
              </fieldset>
            </div>
          </details>
          {payload && <DryRun {...payload} />}
          {payload?.obstacles?.some(({ obstacle }) => obstacle === 'NOT_ATTACHED') &&
            given?.target.groupId && (
              <ActionButton
                label={text.attach}
                document={mutations.groupAttachAppVersions}
                variables={{ id: given.target.groupId, appVersionIds: given.input.appVersionIds }}
                onDone={() => setAttached(attached + 1)}
              />
            )}
        </Form>
      </Dialog>
    </WordsContext>
  );
}

interface WaveFieldsProps extends Pick<Draft<Planned>, 'values' | 'set'> {
  readonly errors: readonly UserError[];
}

/** Fields of all waves, which are added and removed. */
function WaveFields({ values: { waves }, set, errors }: WaveFieldsProps): ReactNode {
  const text = useText();
  return (
    <>
      {waves.map((wave, index) => (
        <fieldset key={index} className="filter-panel">
          <legend>
            {text.waveOf(index + 1, waves.length)}
            {waves.length > 1 && (
              <IconButton
                icon="remove"
                label={text.removeWave}
                onPress={() => set({ waves: waves.toSpliced(index, 1) })}
              />
            )}
          </legend>
          <Fields
            {...wavePart(index, waves.length)}
            values={wave}
            set={(changed) => set({ waves: waves.with(index, { ...wave, ...changed }) })}
            errors={errors}
          />
        </fieldset>
      ))}
      <div className="buttons">
        <Button icon="add" onPress={() => set({ waves: waves.toSpliced(-1, 0, ADDED_WAVE) })}>
          {text.addWave}
        </Button>
      </div>
    </>
  );
}

/** The answer of the dry run: terminals of each wave, and those that are left out, with examples. */
function DryRun({ waves, obstacles, withoutTerminal }: PayloadOf<RolloutCreateMutation>): ReactNode {
  const text = useText();
  const label = useLabel();
  const leftOut = (obstacle: string): string => `${text.EXCLUDED}: ${label(obstacle)}`;
  const rows = [
    ...(waves ?? []).map((wave, index) => ({ ...wave, name: `${text.wave} ${index + 1}` })),
    ...(withoutTerminal ? [{ name: text.withoutTerminal, count: withoutTerminal, examples: [] }] : []),
    ...(obstacles ?? []).map(({ obstacle, ...left }) => ({ ...left, name: leftOut(obstacle) })),
  ];
  return (
    <Section title={text.draft}>
      <SmallTable
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { id: 'name', title: text.wave },
          { id: 'count', title: text.terminals },
          { id: 'examples', title: text.examples, render: ({ examples }) => examples.slice(0, 5).join(', ') },
        ]}
      />
    </Section>
  );
}
