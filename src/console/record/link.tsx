import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Names by which people know a record. */
interface Names {
  readonly name?: string;
  readonly serialNumber?: string;
  readonly key?: string;
  readonly url?: string;
  readonly sequence?: number;
  readonly user?: { readonly name: string };
  /** Text of a notification, with the action before it: `SHOW_MESSAGE|Closed`. */
  readonly content?: string;
  readonly number?: string;
  readonly app?: { readonly name: string };
  readonly device?: { readonly serialNumber: string } | null;
}

/** A record as queries select it. */
export interface Named extends Names {
  readonly id: string;
}

/** The name by which people know a record, such as "Pay 1.2" for an app version; empty where it has none. */
export function nameOf(record: object): string {
  const { name, serialNumber, key, url, sequence, user, content, device, app }: Names = record;
  const { number = device?.serialNumber ?? '' }: Names = record;
  const known = name ?? serialNumber ?? key ?? url ?? sequence?.toString() ?? user?.name;
  return known ?? content?.replace(/^.*?\|/, '') ?? (app ? `${app.name} ${number}` : number);
}

interface RecordLinkProps {
  /** Page that lists such records: `/groups`. Null if there is none. */
  readonly page: string | null;
  readonly record: Named | null | undefined;
}

/** Leads to a record by its name; nothing where there is no record. */
export function RecordLink({ page, record }: RecordLinkProps): ReactNode {
  if (!record || page === null) return null;
  return (
    <Link to={page} search={{ open: record.id }}>
      {nameOf(record)}
    </Link>
  );
}

/** Records beside each other, such as the groups of an app version. */
export function RecordLinks(props: { readonly page: string; readonly records: readonly Named[] }): ReactNode {
  return (
    <ul className="buttons">
      {props.records.map((record) => (
        <li key={record.id}>
          <RecordLink page={props.page} record={record} />
        </li>
      ))}
    </ul>
  );
}
