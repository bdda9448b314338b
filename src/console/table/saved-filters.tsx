import type { ReactNode } from 'react';

import { graphql, mutations, useMutation, useQuery } from '../api';
import { useMay } from '../app/session';
import type { SavedFilterKind } from '../gql/graphql';
import { ActionButton, RenameButton } from '../record/dialog-button';
import { SendForm } from '../record/fields';
import { useTexts } from '../text';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Checkbox } from '../ui/field';
import { FailureNote, Loading, PageFailure } from '../ui/states';
import { pageTexts } from '../ui/words';
import { apiFilter, filterWords, shownFilter, type Filter } from './filter';
import type { FilterBarProps } from './filter-chips';
import { SmallTable } from './shown';

const useText = pageTexts({
  ofOthers: ['Only its owner or an administrator can.', 'Só o dono ou um administrador pode.'],
  noFilters: ['No saved filters of this list.', 'Nenhum filtro salvo desta lista.'],
  saveFilter: ['Save filter', 'Salvar filtro'],
  share: ['Everyone may use it', 'Todos podem usar'],
  shared: ['Shared', 'Compartilhado'],
});

const FILTERS = graphql(`
  query SavedFilters($kind: SavedFilterKind!) {
    savedFilters(kind: $kind) { id name filter shared own owner { name } }
  }
`);

interface SavedFiltersProps extends FilterBarProps {
  readonly kind: SavedFilterKind;
  readonly onClose: () => void;
}

/** The saved filters of a list to choose from, and a form that saves the filter of now. */
export default function SavedFilters(props: SavedFiltersProps): ReactNode {
  const text = useText();
  const { kind, fields, filter, onChange, onClose } = props;
  const title = useTexts(filterWords).savedFilters;
  const [mayWrite, mayAll] = [useMay('WRITE'), useMay('ADMIN')];
  const { data, error, reload } = useQuery(FILTERS, { kind }, ['SAVED_FILTER']);
  const share = useMutation(mutations.savedFilterUpdate);
  // The fields of the list cannot show every filter that a program has saved.
  const rows = data?.savedFilters.flatMap((each) => {
    const shown = shownFilter(fields, each.filter as object);
    return shown === null ? [] : [{ ...each, shown, mayChange: mayWrite && (each.own || mayAll) }];
  });
  const use = (shown: Filter): void => {
    onChange(shown);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {error && <PageFailure error={error} onRetry={reload} />}
      {share.problem && <FailureNote failure={share.problem} />}
      {rows ? (
        <SmallTable
          rows={rows}
          empty={text.noFilters}
          columns={[
            { id: 'name', render: ({ name, shown }) => <Button onPress={() => use(shown)}>{name}</Button> },
            { id: 'owner', title: text.createdBy },
            {
              id: 'shared',
              title: text.shared,
              render: ({ id, shared, mayChange }) => (
                <Checkbox
                  isSelected={shared}
                  disabledReason={mayChange ? null : text.ofOthers}
                  onChange={(isShared) => void share.run({ id, input: { shared: isShared } })}
                >
                  {text.share}
                </Checkbox>
              ),
            },
            {
              id: 'actions',
              title: text.actions,
              render: ({ id, name, mayChange }) =>
                mayChange && (
                  <span className="buttons">
                    <RenameButton id={id} name={name} document={mutations.savedFilterUpdate} />
                    <ActionButton
                      label={text.delete}
                      document={mutations.savedFilterDelete}
                      variables={{ id }}
                    />
                  </span>
                ),
            },
          ]}
        />
      ) : (
        <Loading />
      )}
      {mayWrite && Object.keys(filter).length > 0 && (
        <SendForm
          fields={['name', { name: 'shared', label: text.share, kind: 'flag' }]}
          document={mutations.savedFilterCreate}
          input={{ kind, filter: apiFilter(filter) }}
          submit={text.saveFilter}
        />
      )}
    </Dialog>
  );
}
