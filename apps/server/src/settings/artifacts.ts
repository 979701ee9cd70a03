/** SVC_ARTIFACT_* */
export type ArtifactSettings = { backend: 'local'; folder: string } | ({ backend: 's3' } & BucketSettings);

export interface BucketSettings {
  bucket: string;
  /** Before every key; '' for none. */
  prefix: string;
  /** null: AWS. */
  endpoint: string | null;
  /** null: what the AWS chain says. */
  region: string | null;
}
