import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { mutations, useDryRun, useMutation } from '../../api';
import type { PayloadOf } from '../../api/mutation';
import type { UserError } from '../../api/rules';
import { useSession } from '../../app/session';
import type { AppVersionGrantTargetInput, RolloutCreateMutation } from '../../gql/graphql';
import { Fields } from '../../record/fields';
import {
  isSame,
  pathOf,
  useMissingFields,
  useProbeReason,
  type FormField,
  type Values,
} from '../../record/form-field';
import type { Named } from '../../record/link';
import { SmallTable } from '../../table/shown';
import { useLabel, useLocale, WordsContext } from '../../text';
import { Button, IconButton } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Section } from '../../ui/facts';
import { Form, useDraft, type Draft } from '../../ui/form';
import { AttachButton } from '../software/attachment';
import { ADDED_WAVE, argumentsOf, draftKey, rolloutForm, wavePart, type Planned } from './rollout-form';
import { StartQuestion } from './start-question';
import { useText } from './words';

interface RolloutDialogProps {
  /** The version to begin with. */
  readonly version?: Named;
  /** The terminals that get the versions, where they are chosen already. */
  readonly target?: AppVersionGrantTargetInput;
  readonly onClose: () => void;
  /** Called when the rollout is created. */
  readonly onDone?: () => void;
}

/** Plans a rollout. Before it is created, it says who gets the versions in which wave, and who cannot. */
export default function RolloutDialog({ version, target, onClose, onDone }: RolloutDialogProps): ReactNode {
  const text = useText();
  const navigate = useNavigate();
  const { timeZone } = useLocale();
  const { company } = useSession().viewer;
  const form = rolloutForm(company?.timeZone ?? timeZone, version, target);
  const { parts } = form;
  const { values, set, clear } = useDraft(target ? undefined : draftKey(version), form.empty);
  const given = argumentsOf(form, values, timeZone);
  const [attached, setAttached] = useState(0);
  const probe = useDryRun(mutations.rolloutCreate, given && { ...given, dryRun: true }, attached);
  const { payload } = probe;
  const create = useMutation(mutations.rolloutCreate);
  const { errors } = probe;
  const [isAsking, setAsking] = useState(false);
  const submit = async (): Promise<void> => {
    if (!given || !payload) return;
    const { rollout } = (await create.run({ ...given, dryRun: false, expectCount: payload.count })) ?? {};
    if (!rollout) return;
    clear();
    onDone?.();
    onClose();
    void navigate({ to: '/rollouts', search: { open: rollout.id } });
  };
  const hasTakers = payload?.waves?.some(({ count }) => count > 0) === true;
  const shared = { values, set, errors };
  const waves = values.waves.map((wave, index) => ({
    ...wavePart(index, values.waves.length),
    values: wave,
  }));
  const shownParts = [...Object.values(parts), ...waves];
  const unfilled = useUnfilled([...Object.values(parts).map((part) => ({ ...part, values })), ...waves]);
  const tried = useProbeReason(probe);
  if (isAsking && given && payload) {
    return (
      <StartQuestion
        draft={payload}
        input={given.input}
        create={create}
        onStart={() => void submit()}
        onClose={() => setAsking(false)}
      />
    );
  }
  return (
    <WordsContext value={{ ...text }}>
      <Dialog title={text.newRollout} size="large" onClose={onClose}>
        <Form
          onSubmit={() => setAsking(true)}
          onCancel={onClose}
          submit={text.review}
          isRunning={false}
          disabledReason={unfilled ?? tried ?? (hasTakers ? null : text.canNot)}
          failure={probe.failure}
          errors={errors}
          shown={shownParts.flatMap(({ root, fields }) => fields.map((field) => pathOf(field, root)))}
        >
          <p className="faint">{text.about}</p>
          <Fields {...parts.main} {...shared} />
          <Fields {...parts.target} {...shared} />
          <Conditions {...shared} parts={parts} />
          {payload && <DryRun {...payload} />}
          {payload?.obstacles?.some(({ obstacle }) => obstacle === 'NOT_ATTACHED') &&
            given?.target.groupId && (
              <div className="note">
                <p>{text.notAttached}</p>
                <AttachButton
                  label={text.attach}
                  groupId={given.target.groupId}
                  appVersionIds={given.input.appVersionIds}
                  onDone={() => setAttached((count) => count + 1)}
                />
              </div>
            )}
          {!target && <DraftNote onDiscard={isSame(values, form.empty) ? undefined : clear} />}
        </Form>
      </Dialog>
    </WordsContext>
  );
}

/** Says what must be filled in first in the parts of a form; null if nothing is missing. */
function useUnfilled(
  parts: readonly { readonly fields: readonly FormField[]; readonly values: Values }[],
): string | null {
  const missing = useMissingFields();
  return parts.map(({ fields, values }) => missing(fields, values)).find((each) => each !== null) ?? null;
}

/** Says that the form is kept as a draft. */
function DraftNote({ onDiscard }: { readonly onDiscard: (() => void) | undefined }): ReactNode {
  const text = useText();
  return (
    <>
      <p className="faint">{text.draftHelp}</p>
      {onDiscard && (
        <div className="buttons">
          <Button icon="remove" onPress={onDiscard}>
            {text.discardDraft}
          </Button>
        </div>
      )}
    </>
  );
}

interface ConditionsProps extends WaveFieldsProps {
  readonly parts: ReturnType<typeof rolloutForm>['parts'];
}

/** Waves, when the rollout stops, and its hours, which may stay as they are. They open where one is wrong. */
function Conditions({ parts, ...shared }: ConditionsProps): ReactNode {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const isWrong = shared.errors.some(({ path }) => /waves|stopWhen|window|startAt/.test(path.join('.')));
  return (
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
function DryRun({ waves, obstacles, ...others }: PayloadOf<RolloutCreateMutation>): ReactNode {
  const text = useText();
  const label = useLabel();
  const leftOut = (obstacle: string): string => `${text.EXCLUDED}: ${label(obstacle)}`;
  const without = {
    name: text.withoutTerminal,
    count: others.withoutTerminal ?? 0,
    examples: others.withoutTerminalExamples ?? [],
  };
  const rows = [
    ...(waves ?? []).map((wave, index) => ({ ...wave, name: `${text.wave} ${index + 1}` })),
    ...(without.count > 0 ? [without] : []),
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
