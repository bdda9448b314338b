import { useState, type ReactNode } from 'react';

import { graphql, mutations, useQuery } from '../api';
import { checkCompany, connection } from '../api/client';
import type { ExportKind, ExportSeparator, ExportStartInput } from '../gql/graphql';
import { ActionButton } from '../record/dialog-button';
import { texts, useLocale, useTexts, type Locale } from '../text';
import { Copyable } from '../ui/facts';
import { Icon } from '../ui/icon';
import { ScheduleExport } from './export-schedule';
import { useFieldLabel, useValueWords } from './export-words';

const words = texts({
  asLink: ['Make a link', 'Criar um link'],
  download: ['Download', 'Baixar'],
  link: ['Link', 'Link'],
  linkHelp: [
    'Anyone with the link can read these records for 24 hours, without signing in.',
    'Quem tiver o link pode ler estes registros por 24 horas, sem entrar.',
  ],
});

const LINK = graphql(`query ExportLink($id: ID!) { job(id: $id) { result { url } } }`);

export const SEPARATORS = ['comma', 'semicolon', 'tab'] as const;

export interface ExportSettings {
  readonly form: 'spreadsheet' | 'csv';
  /** Ticked fields, in their order. */
  readonly fields: readonly string[];
  readonly separator: (typeof SEPARATORS)[number];
  readonly hasMark: boolean;
}

export interface ExportedList {
  /** Name of the file, without the day. */
  readonly fileName: string;
  /** The filter as the API takes it. */
  readonly where: object;
  /** Order of the list, for example `-CREATED_AT`. */
  readonly sort: string | undefined;
}

interface ExportResultProps extends ExportedList {
  readonly kind: ExportKind;
  readonly settings: ExportSettings;
}

/** An export as both the address and the mutation take it. */
interface Chosen extends ExportResultProps {
  readonly headings: readonly string[];
  readonly valueWords: Readonly<Record<string, string>>;
  readonly locale: Locale;
}

/** The order of a list as exports take it: `created_at.desc` of `-CREATED_AT`. */
const orderOf = (sort: string): string =>
  sort.startsWith('-') ? `${sort.slice(1).toLowerCase()}.desc` : sort.toLowerCase();

function inputOf(chosen: Chosen): ExportStartInput {
  const { kind, settings, where, sort, fileName, headings, valueWords, locale } = chosen;
  const { form, fields, separator, hasMark } = settings;
  const filter = Object.keys(where).length > 0 ? where : null;
  const input = { kind, columns: [...fields], timeZone: locale.timeZone, filter };
  if (form === 'csv') return { ...input, format: 'CSV' };
  return {
    ...input,
    format: 'SPREADSHEET',
    orderBy: sort === undefined ? null : orderOf(sort),
    spreadsheet: {
      locale: locale.language === 'pt' ? 'PT' : 'EN',
      separator: separator.toUpperCase() as ExportSeparator,
      headings: [...headings],
      words: valueWords,
      byteOrderMark: hasMark,
      fileName: fileName.slice(0, 100),
    },
  };
}

/** The address of the export that such an input asks for. */
function addressOf({
  kind,
  format,
  columns,
  timeZone,
  filter,
  orderBy,
  spreadsheet,
}: ExportStartInput): string {
  const { locale, separator, headings, words: valueWords, byteOrderMark, fileName } = spreadsheet ?? {};
  const query = {
    company: connection.company,
    format: format?.toLowerCase(),
    columns: columns?.join(),
    time_zone: timeZone,
    filter: filter == null ? null : JSON.stringify(filter),
    order_by: orderBy,
    locale: locale?.toLowerCase(),
    separator: separator?.toLowerCase(),
    headings: headings && JSON.stringify(headings),
    words: valueWords == null ? null : JSON.stringify(valueWords),
    bom: byteOrderMark?.toString(),
    file_name: fileName,
  };
  const given = Object.entries<string | null | undefined>(query).flatMap(([name, value]) =>
    value == null ? [] : [[name, value]],
  );
  return `/export/v1/${kind.toLowerCase()}?${new URLSearchParams(given).toString()}`;
}

/**
 * The download, as a link, since the browser stores what arrives, whatever its length; its page is the proof for the cookie
 * where browsers send no other. A job makes a link that others may use.
 */
export function ExportResult(props: ExportResultProps): ReactNode {
  const text = useTexts(words);
  const label = useFieldLabel();
  const locale = useLocale();
  const [job, setJob] = useState<string | null>(null);
  const made = useQuery(LINK, job === null ? null : { id: job }).data?.job?.result?.url;
  const headings = props.settings.fields.map((name) => label(name));
  const input = inputOf({ ...props, headings, valueWords: useValueWords(props.settings.fields), locale });
  return (
    <>
      <div className="form-buttons">
        <ScheduleExport input={input} name={props.fileName.slice(0, 100)} />
        <ActionButton
          label={text.asLink}
          document={mutations.exportStart}
          variables={{ input }}
          onDone={(payload) => setJob(payload.job?.id ?? null)}
        />
        <a
          className="button button-primary"
          href={addressOf(input)}
          download
          referrerPolicy="same-origin"
          onClick={checkCompany}
        >
          <Icon name="file" />
          {text.download}
        </a>
      </div>
      {made !== undefined && (
        <>
          <p className="field-help">{text.linkHelp}</p>
          <Copyable label={text.link} value={new URL(made, location.origin).href} />
        </>
      )}
    </>
  );
}
