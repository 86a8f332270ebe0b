package import Transport

/// How far a request has come.
package enum Step {
    case answer(HTTPResponse)
    /// A password must be hashed first. The job may run on any thread; its outcome goes to `resume`, on the thread that
    /// uses the database, and that gives the next step.
    case hash(PasswordJob, resume: (PasswordJob.Outcome) throws(TransportError) -> Step)
}
