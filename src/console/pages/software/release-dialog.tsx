import { useState, type ReactNode } from 'react';

import { graphql, mutations, useDryRun, useMutation, useQuery } from '../../api';
import type { AppVersionGrantTargetInput, ReleaseGroupQuery } from '../../gql/graphql';
import { Fields, type FormField } from '../../record/fields';
import { findGroups, findSavedFilters } from '../../record/find';
import { nameOf, type Named } from '../../record/link';
import { useFormat } from '../../text/format';
import { Dialog } from '../../ui/dialog';
import { Form } from '../../ui/form';
import type { Reference } from '../../ui/reference-input';
import { notify } from '../../ui/toasts';
import { useText } from './words';

const GROUP = graphql(`
  query ReleaseGroup($id: ID!) {
    group(id: $id) {
      logicalNumbers(first: 5) { totalCount nodes { number } }
      defaultAppVersions(first: 100) {
        nodes { id app { id } }
      }
    }
  }
`);

const BEGIN = {
  to: 'group',
  group: null as Reference | null,
  saved: null as Reference | null,
  isToNew: true,
  isReplacing: true,
};

/** Null until a group or a saved filter is chosen. */
function targetOf({ to, group, saved }: typeof BEGIN): AppVersionGrantTargetInput | null {
  if (to === 'all') return { all: true };
  if (to === 'saved') return saved && { savedFilterId: saved.id };
  return group && { groupId: group.id };
}

interface ReleaseDialogProps {
  readonly version: Named & { readonly app: { readonly id: string } };
  readonly onClose: () => void;
}

/** The target, and what else happens to its group. */
function fieldsOf(text: ReturnType<typeof useText>): readonly FormField<typeof BEGIN>[] {
  const isTo = (one: string) => (values: typeof BEGIN) => values.to === one;
  return [
    {
      name: 'to',
      label: text.target,
      options: [
        { value: 'group', label: text.group },
        { value: 'saved', label: text.savedFilter },
        { value: 'all', label: text.all },
      ],
    },
    { name: 'group', label: text.group, find: findGroups, argument: 'groupId', isShown: isTo('group') },
    {
      name: 'saved',
      label: text.savedFilter,
      find: findSavedFilters,
      argument: 'savedFilterId',
      isShown: isTo('saved'),
    },
    { name: 'isToNew', label: text.attach, isFlag: true, isShown: isTo('group') },
    { name: 'isReplacing', label: text.replace, isFlag: true },
  ];
}

/** Gives a version to a group, to the numbers of a saved filter or to all, once the person has seen to how many numbers it goes. */
export function ReleaseDialog({ version, onClose }: ReleaseDialogProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const [values, setValues] = useState(BEGIN);
  const groupId = values.to === 'group' ? (values.group?.id ?? null) : null;
  const target = targetOf(values);
  const change = target && {
    appVersionIds: [version.id],
    mode: values.isReplacing ? ('REPLACE_OF_SAME_APP' as const) : ('ADD' as const),
    target,
  };
  const group = useQuery(GROUP, groupId === null ? null : { id: groupId }).data?.group;
  const probe = useDryRun(mutations.appVersionGrant, change && { ...change, dryRun: true });
  const reached = reachedOf(probe.payload, group);
  const grant = useMutation(mutations.appVersionGrant);
  const attach = useMutation(mutations.groupAttachAppVersions);
  const setDefaults = useMutation(mutations.groupSetDefaultAppVersions);
  const release = async (): Promise<void> => {
    if (change === null || reached === null) return;
    const { appVersionIds } = change;
    if (groupId !== null && !(await attach.run({ id: groupId, appVersionIds }))) return;
    const given = await grant.run({ ...change, dryRun: false, expectCount: reached.count });
    if (!given) return;
    if (groupId !== null && values.isToNew) {
      const others = group?.defaultAppVersions.nodes.filter(({ app }) => app.id !== version.app.id) ?? [];
      const defaults = [...others.map(({ id }) => id), version.id];
      if (!(await setDefaults.run({ id: groupId, appVersionIds: defaults }))) return;
    }
    notify({ text: `${text.released} ${text.numbers(format.number(given.count ?? 0))}` });
    onClose();
  };
  const steps = [attach, grant, setDefaults, ...(reached ? [] : [probe])];
  const errors = steps.flatMap((step) => step.errors);
  return (
    <Dialog title={`${text.release}: ${nameOf(version)}`} isOpen onClose={onClose}>
      <Form
        onSubmit={() => void release()}
        onCancel={onClose}
        submit={text.release}
        isRunning={attach.isRunning || grant.isRunning || setDefaults.isRunning}
        isDisabled={reached === null}
        failure={steps.map(({ failure }) => failure).find((failure) => failure !== null) ?? null}
        errors={errors}
        shown={['target.groupId', 'target.savedFilterId']}
      >
        <Fields
          root="target"
          values={values}
          set={(changed) => setValues({ ...values, ...changed })}
          errors={errors}
          fields={fieldsOf(text)}
        />
        {reached && (
          <p role="status">
            {`${text.goesTo} ${text.numbers(format.number(reached.count))}`}
            {reached.examples.length > 0 && `, ${text.examples(reached.examples.join(', '))}`}
          </p>
        )}
      </Form>
    </Dialog>
  );
}

interface Numbers {
  readonly number: string;
}

/** How many logical numbers would get a version, and examples; null while that is not known. */
function reachedOf(
  payload: { readonly count: number | null; readonly examples: readonly Numbers[] | null } | null | undefined,
  group: ReleaseGroupQuery['group'] | undefined,
): { readonly count: number; readonly examples: readonly string[] } | null {
  if (payload === undefined) return null;
  // A version that is not attached to the group yet is new to all of its numbers.
  const numbers = payload?.examples ?? group?.logicalNumbers.nodes;
  const count = payload?.count ?? group?.logicalNumbers.totalCount;
  if (!numbers || count === undefined) return null;
  return { count, examples: numbers.slice(0, 5).map(({ number }) => number) };
}
