/// A backend whose server ends no session by itself, but all of an account when its password is changed.
package protocol EndsSessionsByPassword: Backend {}
