import { useState, type ReactNode } from 'react';

import { graphql, useQuery } from '../api';
import { browserStorage } from '../api/storage';
import type { ExportKind } from '../gql/graphql';
import { texts, useLocale, useTexts, type Language } from '../text';
import { IconButton } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Checkbox, Choice } from '../ui/field';
import { Loading, PageFailure } from '../ui/states';
import { ExportResult, SEPARATORS, type ExportSettings, type ExportedList } from './export-result';
import { useFieldLabel } from './export-words';

const words = texts({
  allFields: ['All fields', 'Todos os campos'],
  byteOrderMark: ['Mark for Excel at the beginning', 'Marca para o Excel no início'],
  comma: ['Comma', 'Vírgula'],
  fields: ['Fields', 'Campos'],
  form: ['For', 'Para'],
  noField: ['Choose a field.', 'Escolha um campo.'],
  programs: ['Programs (CSV)', 'Programas (CSV)'],
  semicolon: ['Semicolon', 'Ponto e vírgula'],
  separator: ['Separator', 'Separador'],
  spreadsheet: ['A spreadsheet', 'Uma planilha'],
  tab: ['Tab', 'Tabulação'],
  upwards: [(name: string) => `${name}: move up`, (name: string) => `${name}: mover para cima`],
});

const COLUMNS = graphql(`query ExportColumns($kind: ExportKind!) { exportColumns(kind: $kind) }`);

/** Settings of a list, remembered in this browser. Spreadsheets in Portuguese need the comma for decimals. */
function useSettings(table: string, shown: readonly string[], language: Language) {
  const key = `export:${table}`;
  const [settings, setSettings] = useState<ExportSettings>(() => ({
    form: 'spreadsheet',
    fields: shown,
    separator: language === 'pt' ? 'semicolon' : 'comma',
    hasMark: true,
    ...browserStorage.read(key),
  }));
  const change = (changes: Partial<ExportSettings>): void => {
    const changed = { ...settings, ...changes };
    browserStorage.set(key, JSON.stringify(changed));
    setSettings(changed);
  };
  return [settings, change] as const;
}

/** First name of a path: `parsed` of `parsed.card.brand`. */
const partOf = (name: string): string => name.replace(/\..*$/, '');

interface ExportDialogProps extends ExportedList {
  readonly table: string;
  readonly title: string;
  /** Fields of the columns that the list shows. */
  readonly shown: readonly string[];
  readonly onClose: () => void;
}

/** Chooses the fields and the form of an export, which is downloaded, or made a link that others may use. */
export default function ExportDialog(props: ExportDialogProps): ReactNode {
  const text = useTexts(words);
  const { language } = useLocale();
  const kind = props.table.replaceAll('-', '_').toUpperCase() as ExportKind;
  const { data, error, reload } = useQuery(COLUMNS, { kind });
  const [settings, change] = useSettings(props.table, props.shown, language);
  const all = data?.exportColumns ?? [];
  // Rights may have changed since the fields were chosen, and some columns of lists are no fields.
  const known = new Set(all.map(partOf));
  const fields = settings.fields.filter((name) => known.has(partOf(name)));
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      {error && <PageFailure error={error} onRetry={reload} />}
      {!error && !data && <Loading />}
      {data && (
        <div className="stack">
          <Choice
            label={text.form}
            value={settings.form}
            options={[
              { value: 'spreadsheet', label: text.spreadsheet },
              { value: 'csv', label: text.programs },
            ]}
            onChange={(value) => change({ form: value as ExportSettings['form'] })}
          />
          {settings.form === 'spreadsheet' && <SheetChoice settings={settings} onChange={change} />}
          <FieldChoice all={all} chosen={fields} onChange={(chosen) => change({ fields: chosen })} />
          {fields.length === 0 ? (
            <p className="field-help">{text.noField}</p>
          ) : (
            <ExportResult
              key={JSON.stringify(settings)}
              {...props}
              kind={kind}
              settings={{ ...settings, fields }}
            />
          )}
        </div>
      )}
    </Dialog>
  );
}

interface SheetChoiceProps {
  readonly settings: ExportSettings;
  readonly onChange: (changes: Partial<ExportSettings>) => void;
}

/** Wishes of the spreadsheet. */
function SheetChoice({ settings: { separator, hasMark }, onChange }: SheetChoiceProps): ReactNode {
  const text = useTexts(words);
  return (
    <>
      <Choice
        label={text.separator}
        value={separator}
        options={SEPARATORS.map((value) => ({ value, label: text[value] }))}
        onChange={(value) => onChange({ separator: value as ExportSettings['separator'] })}
      />
      <Checkbox isSelected={hasMark} onChange={(selected) => onChange({ hasMark: selected })}>
        {text.byteOrderMark}
      </Checkbox>
    </>
  );
}

interface FieldChoiceProps {
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Boxes for the fields: the ticked ones first, in their order, which buttons change. */
function FieldChoice({ all, chosen, onChange }: FieldChoiceProps): ReactNode {
  const text = useTexts(words);
  const label = useFieldLabel();
  const others = all.filter((name) => !chosen.includes(name));
  const moveUp = (index: number): readonly string[] =>
    chosen.toSpliced(index - 1, 2, ...chosen.slice(index - 1, index + 1).toReversed());
  return (
    <fieldset>
      <legend>{text.fields}</legend>
      <Checkbox
        isSelected={others.length === 0}
        onChange={(selected) => onChange(selected ? [...chosen, ...others] : [])}
      >
        {text.allFields}
      </Checkbox>
      <ul className="export-fields">
        {[...chosen, ...others].map((name, index) => (
          <li key={name}>
            <Checkbox
              isSelected={index < chosen.length}
              onChange={(selected) =>
                onChange(selected ? [...chosen, name] : chosen.filter((each) => each !== name))
              }
            >
              {label(name)}
            </Checkbox>
            {index > 0 && index < chosen.length && (
              <IconButton
                icon="up"
                label={text.upwards(label(name))}
                onPress={() => onChange(moveUp(index))}
              />
            )}
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
