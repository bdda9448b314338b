import { graphql } from '../../api/graphql';

/** Replaces the app versions that a logical number gets when it comes into a group. */
export const SET_DEFAULTS = graphql(`
  mutation GroupSetDefaults($id: ID!, $appVersionIds: [ID!]!, $ifMatch: Int) {
    groupSetDefaultAppVersions(id: $id, appVersionIds: $appVersionIds, ifMatch: $ifMatch) {
      userErrors { code message path rule params }
    }
  }
`);
