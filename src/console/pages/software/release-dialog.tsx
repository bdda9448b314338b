import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql, mutations, useDryRun, useMutation, useQuery } from '../../api';
import type { ReleaseGroupQuery } from '../../gql/graphql';
import { Fields } from '../../record/fields';
import { emptyOf, fieldsOf, inputOf, useMissingFields, useProbeReason } from '../../record/form-field';
import { nameOf, type Named } from '../../record/link';
import { wholeIds } from '../../record/link-list';
import { useFormat } from '../../text';
import { Dialog } from '../../ui/dialog';
import { Form } from '../../ui/form';
import { notify } from '../../ui/toasts';
import { TARGET, targetOf } from './target';
import { useText } from './words';

const GROUP = graphql(`
  query ReleaseGroup($id: ID!) {
    group(id: $id) {
      logicalNumbers(first: 5) { totalCount nodes { number } }
      defaultAppVersions(first: 100) {
        nodes { id app { id } }
        pageInfo { hasNextPage }
      }
    }
  }
`);

/** The target, and what else happens to its group. */
const FIELDS = fieldsOf([
  ...TARGET,
  { name: 'isToNew', kind: 'flag', initial: true, isShown: ({ toWhom }) => toWhom === 'group' },
  { name: 'isReplacing', kind: 'flag', initial: true },
]);

interface ReleaseDialogProps {
  readonly version: Named & { readonly app: { readonly id: string } };
  readonly onClose: () => void;
}

/** Gives a version to a group, to the numbers of a saved filter or to all, once the person has seen to how many numbers it goes. */
export function ReleaseDialog({ version, onClose }: ReleaseDialogProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const navigate = useNavigate();
  const [values, setValues] = useState(emptyOf(FIELDS));
  const entered = inputOf(FIELDS, values);
  const groupId = entered?.groupId as string | undefined;
  const change = entered && {
    appVersionIds: [version.id],
    mode: values.isReplacing === true ? ('REPLACE_OF_SAME_APP' as const) : ('ADD' as const),
    target: targetOf(entered),
  };
  const group = useQuery(GROUP, groupId === undefined ? null : { id: groupId }).data?.group;
  const defaults = group?.defaultAppVersions;
  const isWhole = !defaults || wholeIds(defaults) !== null;
  const probe = useDryRun(mutations.appVersionGrant, change && { ...change, dryRun: true });
  const reached = reachedOf(probe.payload, group);
  const missing = useMissingFields();
  const tried = useProbeReason(probe);
  const grant = useMutation(mutations.appVersionGrant);
  const attach = useMutation(mutations.groupAttachAppVersions);
  const setDefaults = useMutation(mutations.groupSetDefaultAppVersions);
  const release = async (): Promise<void> => {
    if (!change || reached === null) return;
    const { appVersionIds } = change;
    if (groupId !== undefined && !(await attach.run({ id: groupId, appVersionIds }))) return;
    const given = await grant.run({ ...change, dryRun: false, expectCount: reached.count });
    if (!given) return;
    if (groupId !== undefined && values.isToNew === true && isWhole) {
      const others = defaults?.nodes.filter(({ app }) => app.id !== version.app.id) ?? [];
      const all = [...others.map(({ id }) => id), version.id];
      if (!(await setDefaults.run({ id: groupId, appVersionIds: all }))) return;
    }
    const filter = { version: { eq: version.id } };
    notify({
      text: `${text.released} ${text.numbers(format.number(given.count ?? 0))}`,
      show: () => void navigate({ to: '/logical-numbers', search: { filter } }),
    });
    onClose();
  };
  const steps = [attach, grant, setDefaults, ...(reached ? [] : [probe])];
  const errors = steps.flatMap((step) => step.errors);
  return (
    <Dialog title={`${text.release}: ${nameOf(version)}`} onClose={onClose}>
      <Form
        onSubmit={() => void release()}
        onCancel={onClose}
        submit={text.releaseNow}
        isRunning={attach.isRunning || grant.isRunning || setDefaults.isRunning}
        disabledReason={missing(FIELDS, values) ?? (reached === null ? tried : null)}
        failure={steps.map(({ failure }) => failure).find((failure) => failure !== null) ?? null}
        errors={errors}
        shown={TARGET.map(({ name }) => `target.${name}`)}
      >
        <Fields
          root="target"
          values={values}
          set={(changed) => setValues({ ...values, ...changed })}
          errors={errors}
          fields={isWhole ? FIELDS : FIELDS.filter(({ name }) => name !== 'isToNew')}
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
